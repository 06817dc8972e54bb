/** Copying: a button that says that it did, an id, and a command in the dark of the night. */
import { useState } from 'react'
import { common as w } from '../words/common.ts'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'
import styles from './night.module.css'
import { Breakable } from './page.tsx'
import { tip } from './tip.ts'
import { toast } from './toasts.ts'

const shownMs = 2_000

/** Tells whether a text was just copied, and copies one. */
export function useCopy(): { readonly isCopied: boolean; readonly copy: (text: string) => void } {
  const [isCopied, setCopied] = useState(false)
  return {
    isCopied,
    copy(text) {
      copyText(text).then(
        () => {
          setCopied(true)
          setTimeout(setCopied, shownMs, false)
        },
        () => toast({ mood: 'bad', title: w.notCopied, text }),
      )
    },
  }
}

/** The clipboard needs a secure page; over plain HTTP the text is selected and copied as by hand. */
export async function copyText(text: string): Promise<void> {
  const before = document.activeElement
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'vh'
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  if (!isDone) throw new Error('the browser does not copy')
}

/** Copies what a menu offers, which is gone when it is done. */
export function copyAway(text: string): void {
  copyText(text).then(
    () => toast({ mood: 'ok', title: w.copied, text }),
    () => toast({ mood: 'bad', title: w.notCopied, text }),
  )
}

export function CopyButton({ text, label = w.copy }: { readonly text: string; readonly label?: string }) {
  const { isCopied, copy } = useCopy()
  return (
    <>
      <IconButton icon={isCopied ? 'check' : 'copy'} label={label} small onClick={() => copy(text)} />
      <span className="vh" role="status">
        {isCopied ? w.copied : ''}
      </span>
    </>
  )
}

/** An id or an address with its button. */
export function Copyable({ text, label }: { readonly text: string; readonly label?: string }) {
  return (
    <span className="row">
      <span className="mono">
        <Breakable text={text} />
      </span>
      <CopyButton text={text} label={label ?? w.copyName(text)} />
    </span>
  )
}

/** One line for a terminal. */
export function CommandLine({ text }: { readonly text: string }) {
  const { isCopied, copy } = useCopy()
  return (
    <p className={styles.secret}>
      <code>{text}</code>
      <button
        type="button"
        className={styles['night-btn']}
        aria-label={w.copy}
        onClick={() => copy(text)}
        {...tip(w.copy)}
      >
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
      <span className="vh" role="status">
        {isCopied ? w.copied : ''}
      </span>
    </p>
  )
}
