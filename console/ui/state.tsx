/** The sign of a state: a disc filled by eighths, as meteorologists draw how much of the sky is covered. */
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import styles from './state.module.css'

/** The look of a state: well, off, on its way, asks for attention, failed, not known. */
export type Mood = 'ok' | 'off' | 'busy' | 'warn' | 'bad' | 'unknown'

interface SignProps {
  readonly mood: Mood
  /** A percentage, for what is on its way. */
  readonly progress?: number | undefined
  readonly className?: string | undefined
}

const marks = { ok: 'c8', off: 'c0', busy: 'c3', warn: 'cw', bad: 'cx', unknown: 'cu' } as const

export function Sign({ mood, progress, className }: SignProps) {
  const mark = mood === 'busy' && progress !== undefined ? `c${Math.floor((progress * 8) / 100)}` : marks[mood]
  return (
    <svg className={cx('sign', styles[mood], className)} aria-hidden="true">
      <use href={`#${mark}`} />
    </svg>
  )
}

interface StateProps extends SignProps {
  readonly children: ReactNode
  readonly badge?: boolean
}

/** A sign with the word for it. */
export function State({ mood, progress, badge = false, children }: StateProps) {
  return (
    <span className={cx(styles.state, badge && styles.badge)} data-state={mood === 'unknown' ? undefined : mood}>
      <Sign mood={mood} progress={progress} />
      {children}
    </span>
  )
}

/** A sign that turns while something small is waited for. */
export function Waiting() {
  return (
    <svg className={cx('sign', styles.wait)} aria-hidden="true">
      <use href="#c2" />
    </svg>
  )
}
