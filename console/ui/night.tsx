/** The command panel: what the button beside it does, as commands of the clients. */
import { type KeyboardEvent, useId, useState } from 'react'
import { common as w } from '../words/common.ts'
import { colored, type Piece } from './colored.ts'
import { useCopy } from './copy.tsx'
import { Icon } from './icon.tsx'
import styles from './night.module.css'

export type Command = { readonly client: string } /** A text that is shown in colours, and copied as it is. */ & (
  | { readonly text: string; readonly footer?: string | undefined }
  /** The reason for having none. */
  | { readonly note: string }
)

/** Longer texts take long to draw, as a whole zone file does. They are copied nevertheless. */
const mostDrawn = 8_000

interface NightProps {
  /** Tells panels of one page apart. */
  readonly label?: string | undefined
  readonly commands: readonly Command[]
  readonly footer?: string
}

export function Night({ label = w.equivalent, commands, footer = w.sameAsButton }: NightProps) {
  const id = useId()
  const [wanted, choose] = useState<number>()
  const { isCopied, copy } = useCopy()
  // Opens on the first client that has a command.
  const chosen =
    wanted ??
    Math.max(
      0,
      commands.findIndex((command) => 'text' in command),
    )
  const current = commands[Math.min(chosen, commands.length - 1)]
  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!by) return
    const next = (chosen + by + commands.length) % commands.length
    choose(next)
    document.getElementById(`${id}-${next}`)?.focus()
  }
  if (!current) return null
  return (
    <section className={styles.night} aria-label={label}>
      <header>
        <div role="tablist" className="row" aria-label={w.equivalent} onKeyDown={step}>
          {commands.map(({ client }, index) => (
            <button
              key={client}
              id={`${id}-${index}`}
              type="button"
              role="tab"
              aria-selected={index === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={index === chosen ? 0 : -1}
              onClick={() => choose(index)}
            >
              {client}
            </button>
          ))}
        </div>
        {'text' in current && (
          <button type="button" className={styles['night-btn']} onClick={() => copy(current.text)}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {isCopied ? w.copied : w.copy}
          </button>
        )}
      </header>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {'note' in current ? <p>{current.note}</p> : <Text text={current.text} />}
      </div>
      {'text' in current && <p>{current.footer ?? footer}</p>}
    </section>
  )
}

function Text({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <pre tabIndex={0}>
      <code>
        {colored(text.slice(0, mostDrawn)).map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in their order
          <Colored key={index} {...piece} />
        ))}
        {text.length > mostDrawn && <i>…</i>}
      </code>
    </pre>
  )
}

function Colored({ text, kind }: Piece) {
  switch (kind) {
    case 'flag':
      return <b>{text}</b>
    case 'value':
      return <em>{text}</em>
    case 'comment':
      return <i>{text}</i>
    default:
      return text
  }
}
