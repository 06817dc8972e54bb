/** A note beside something: it failed, it will end, it changed elsewhere. */
import type { ReactNode } from 'react'
import styles from './note.module.css'
import { Sign } from './state.tsx'

interface NoteProps {
  readonly mood?: 'warn' | 'bad' | 'busy' | undefined
  /** Read out when it appears. */
  readonly isNews?: boolean
  readonly sign?: boolean
  readonly children: ReactNode
}

export function Note({ mood, isNews = false, sign = true, children }: NoteProps) {
  const role = isNews ? (mood === 'bad' ? 'alert' : 'status') : undefined
  return (
    <div className={styles.note} data-state={mood} role={role}>
      {sign && mood && <Sign mood={mood} progress={mood === 'busy' ? 63 : undefined} />}
      <span>{children}</span>
    </div>
  )
}
