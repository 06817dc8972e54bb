/** One target in a list: what it is, with its button in the same line, and beneath a selector what it matches now. */
import { Children, type ReactNode } from 'react'
import styles from './target-line.module.css'

interface TargetLineProps {
  /** The server, selector or address that was added as a target. */
  readonly target: ReactNode
  /** The button that removes all. */
  readonly end: ReactNode
  /** The label of the lines beneath it. */
  readonly label: string
  /** The matches of a selector now, one line each; these come and go with it. */
  readonly children?: ReactNode
}

export function TargetLine({ target, end, label, children }: TargetLineProps) {
  return (
    <li>
      <div className={styles.target}>
        <div className="row">
          <span className="row wrap">{target}</span>
          <span className="end">{end}</span>
        </div>
        {Children.count(children) > 0 && (
          <ul className={styles.matches} aria-label={label}>
            {children}
          </ul>
        )}
      </div>
    </li>
  )
}
