/** Nothing is there yet: one sentence, the button, the command. */
import type { ReactNode } from 'react'
import card from './card.module.css'
import { CommandLineLater } from './copy-later.tsx'
import styles from './empty.module.css'
import { Sign } from './state.tsx'

interface EmptyProps {
  readonly title: string
  readonly text: string
  /** The button that makes the first one. */
  readonly action?: ReactNode
  readonly command?: string | undefined
}

export function Empty({ title, text, action, command }: EmptyProps) {
  return (
    <section className={card.card}>
      <div className={styles.empty}>
        <Sign mood="off" />
        <div>
          <h2>{title}</h2>
          <p className="dim">{text}</p>
        </div>
        {action}
        {command && <CommandLineLater text={command} />}
      </div>
    </section>
  )
}
