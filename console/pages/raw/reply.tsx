/** The reply of the server. */
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { State } from '../../ui/state.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { raw as w } from '../../words/raw.ts'
import styles from './raw.module.css'

/** More characters than anybody reads, and than a page draws at once. */
const mostShown = 100_000

export interface Answer {
  /** Undefined when it has no content. */
  readonly reply: unknown
  readonly ms: number
}

export function Reply({ answer: { reply, ms } }: { readonly answer: Answer }) {
  const text = typeof reply === 'string' ? reply : (JSON.stringify(reply, null, 2) ?? '')
  return (
    <Card
      title={w.reply}
      aside={<State mood="ok">{w.sentIn(`${number(Math.round(ms))} ms`)}</State>}
      end={text && <CopyButton text={text} label={c.copy} />}
      {...(text.length > mostShown ? { footer: w.cut } : {})}
    >
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        <pre className={styles.reply} tabIndex={0}>
          <code>{text.slice(0, mostShown)}</code>
        </pre>
      ) : (
        <p className={styles.reply}>{w.noReply}</p>
      )}
    </Card>
  )
}
