/** The places of the editor: rules, what they change beside them, and the picture below; one after the other where narrow. */
import type { ReactNode } from 'react'
import styles from './rules.module.css'
import { firewalls as w } from './words.ts'

interface EditorFrameProps {
  readonly side: ReactNode
  readonly reach: ReactNode
  readonly children: ReactNode
}

export function EditorFrame({ side, reach, children }: EditorFrameProps) {
  return (
    <div className={styles.editor}>
      <div className={`${styles.first} stack-l`}>{children}</div>
      <aside className="stack" aria-label={w.changesLabel}>
        {side}
      </aside>
      <div className={styles.last}>{reach}</div>
    </div>
  )
}
