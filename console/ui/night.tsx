/** The command panel: what the button beside it does, as commands of the clients. */
import { type KeyboardEvent, useId, useState } from 'react'
import { common } from '../words/en/common.ts'
import { wordsOf } from '../words/words.ts'
import { useCopy } from './copy.tsx'
import { Icon } from './icon.tsx'
import styles from './night.module.css'

const w = wordsOf('common', common)

/** A piece of a command and what it is, for its colour. */
export interface Piece {
  readonly text: string
  readonly kind?: 'flag' | 'value' | 'comment' | 'special' | undefined
}

export type Command = { readonly client: string } & (
  | { readonly pieces: readonly Piece[] }
  /** Why this client has none. */
  | { readonly note: string }
)

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
      commands.findIndex((command) => 'pieces' in command),
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
        {'pieces' in current && (
          <button type="button" className={styles['night-btn']} onClick={() => copy(textOf(current.pieces))}>
            <Icon name={isCopied ? 'check' : 'copy'} />
            {isCopied ? w.copied : w.copy}
          </button>
        )}
      </header>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {'note' in current ? <p>{current.note}</p> : <Text pieces={current.pieces} />}
      </div>
      {'pieces' in current && <p>{footer}</p>}
    </section>
  )
}

function Text({ pieces }: { readonly pieces: readonly Piece[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <pre tabIndex={0}>
      <code>
        {pieces.map((piece, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text, in their order
          <Colored key={index} {...piece} />
        ))}
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
    case 'special':
      return <s>{text}</s>
    default:
      return text
  }
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('')
}
