/** Progress as a bar of eight cells. */
import { cx } from './cx.ts'
import styles from './eighths.module.css'

interface ProgressProps {
  /** A percentage. */
  readonly value: number
  readonly label: string
  readonly tone?: 'warn' | 'bad' | 'ink' | undefined
  readonly className?: string | undefined
}

export function Progress({ value, label, tone, className }: ProgressProps) {
  return (
    <progress
      className={cx(styles.eighths, tone && styles[tone], className)}
      max={100}
      value={value}
      aria-label={label}
    />
  )
}
