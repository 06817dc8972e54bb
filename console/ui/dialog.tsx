/** A decision that cannot be taken back, a secret shown once, a short form. Made when it opens. */

import { lazy, type ReactNode, Suspense, useState } from 'react'
import { common as w } from '../words/common.ts'
import { forms as f } from '../words/forms.ts'
import { Button } from './button.tsx'
import type { DialogProps } from './dialog-props.ts'
import { FailureNote } from './failure.tsx'
import fields from './field.module.css'
import { Field } from './field.tsx'

const Popup = lazy(async () => ({ default: (await import('./dialog-popup.tsx')).DialogPopup }))

export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <Popup {...props} />
    </Suspense>
  )
}

export interface ConfirmProps {
  /** Names the things: `Delete web-1, web-2 and web-3?` */
  readonly title: ReactNode
  /** The consequences. */
  readonly text: ReactNode
  /** Verb, thing and number: `Delete 3 servers`. */
  readonly act: string
  /** The button that does nothing: `Keep them`. */
  readonly keep?: string
  /** The word to type when data is lost. */
  readonly word?: string | undefined
  readonly aside?: ReactNode
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** Asks before something that cannot be taken back. It stays open while it works and when it fails. */
export function Confirm({ title, text, act, keep = w.keep, word, aside, onConfirm, onClose, children }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [cause, setCause] = useState<unknown>()
  const isReady = word === undefined || typed.trim() === word
  const confirm = async () => {
    if (!isReady || isBusy) return
    setBusy(true)
    setCause(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (failure) {
      setCause(failure)
      setBusy(false)
    }
  }
  const footer = (
    <>
      {aside}
      <span className="end row">
        <Button onClick={onClose}>{keep}</Button>
        <Button type="submit" look="danger" isBusy={isBusy} reason={isReady ? undefined : f.typeFirst(word)}>
          {act}
        </Button>
      </span>
    </>
  )
  return (
    <Dialog {...{ title, text, footer, onClose }} isDirty={false} onSubmit={() => void confirm()}>
      {children}
      {word !== undefined && <TypedWord word={word} value={typed} onChange={setTyped} />}
      {cause !== undefined && <FailureNote cause={cause} />}
    </Dialog>
  )
}

function TypedWord({
  word,
  value,
  onChange,
}: {
  readonly word: string
  readonly value: string
  readonly onChange: (value: string) => void
}) {
  const [before, asked, after] = w.typeToGoOn(word)
  return (
    <Field
      label={
        <>
          {before}
          <b>{asked}</b>
          {after}
        </>
      }
    >
      {(ties) => (
        <input
          {...ties}
          className={fields.input}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}
