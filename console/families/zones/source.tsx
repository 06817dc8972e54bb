/** The zone file: pasted, dropped or chosen, with its line numbers and what is wrong with one of them. */
import { type DragEvent, useState } from 'react'
import { FilePick } from '../../pages/shared/file-pick.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import diff from '../../ui/diff.module.css'
import field from '../../ui/field.module.css'
import { Said } from '../../ui/said.tsx'
import { Sign } from '../../ui/state.tsx'
import { common as c } from '../../words/common.ts'
import type { Refused } from './import-preview.ts'
import { zones as w } from './words.ts'
import styles from './zones.module.css'

/** Lines drawn of a long file, and those around the one that is wrong. */
const mostLines = 1_000

interface SourceProps {
  readonly text: string
  /** The file that it came from. */
  readonly name: string
  readonly refused: Refused | undefined
  readonly onText: (text: string, name?: string) => void
}

export function SourceCard({ text, name, refused, onText }: SourceProps) {
  const [isEdited, edit] = useState(true)
  const [isOver, setOver] = useState(false)
  const take = (next: string, file?: string) => {
    onText(next, file)
    edit(next.trim() === '')
  }
  const drop = async (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const file = event.dataTransfer.files[0]
    if (file) take(await file.text(), file.name)
    else take(event.dataTransfer.getData('text'))
  }
  const isShown = !isEdited && text.trim() !== ''
  return (
    <Card
      title={name || w.theFile}
      end={
        <>
          {text.trim() !== '' && (
            <Button small look="quiet" onClick={() => edit(!isEdited)}>
              {isShown ? c.edit : w.showLines}
            </Button>
          )}
          <FilePick label={text ? w.chooseAnother : w.chooseFile} onText={take} />
        </>
      }
      footer={w.apexText}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way beside the button */}
      <div
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => void drop(event)}
      >
        {isShown ? (
          <Lines text={text} refused={refused} />
        ) : (
          <>
            <textarea
              className={styles.file}
              aria-label={w.theFile}
              aria-invalid={refused !== undefined || undefined}
              placeholder={w.placeholder}
              spellCheck={false}
              value={text}
              onChange={({ target }) => onText(target.value, name)}
              onPaste={(event) => {
                if (text !== '') return
                event.preventDefault()
                take(event.clipboardData.getData('text'))
              }}
            />
            {refused && <Problem refused={refused} withLine />}
          </>
        )}
      </div>
    </Card>
  )
}

/** Worded by its kind, with what the server says more of it. */
function Problem({ refused, withLine }: { readonly refused: Refused; readonly withLine?: boolean }) {
  const { line, kind, what = '', why } = refused
  const text = w.refusals[kind](what)
  return (
    <p className={cx(field.error, withLine && styles.padded)} role="alert">
      <Sign mood="bad" />
      <span>
        {withLine && line !== undefined && `${w.line(line)}: `}
        {why === undefined ? (
          text
        ) : (
          <>
            {text.replace(/\.$/, '')}: <Said texts={[why]} />
          </>
        )}
      </span>
    </p>
  )
}

function Lines({ text, refused }: { readonly text: string; readonly refused: Refused | undefined }) {
  const all = text.replace(/\n$/, '').split('\n')
  const hit = refused?.line
  // A long file is drawn up to its wrong line, or to its first lines.
  const shown = all.slice(0, Math.max(mostLines, (hit ?? 0) + 20))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className={styles['source-scroll']} tabIndex={0} aria-label={w.theFile}>
      {refused && hit === undefined && <Problem refused={refused} withLine />}
      <ol className={diff.source}>
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines in their order
          <Line key={index} text={line} refused={index + 1 === hit ? refused : undefined} />
        ))}
      </ol>
      {shown.length < all.length && (
        <p className={`faint ${styles.padded}`}>{w.moreLines(all.length - shown.length)}</p>
      )}
    </section>
  )
}

function Line({ text, refused }: { readonly text: string; readonly refused: Refused | undefined }) {
  return (
    <>
      <li className={refused && diff.hit}>{text || ' '}</li>
      {refused && (
        <li className={cx(diff.hit, diff.say)}>
          <Problem refused={refused} />
        </li>
      )}
    </>
  )
}
