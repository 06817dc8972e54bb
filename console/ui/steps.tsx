/** The sections of a long form, beside it: what is done, and what still needs something. */
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import page from './page.module.css'
import { Sign } from './state.tsx'
import styles from './steps.module.css'

export interface Step {
  readonly id: string
  readonly title: string
  readonly isDone: boolean
  readonly isWrong?: boolean
  readonly content: ReactNode
}

interface LongFormProps {
  /** Names the list of sections. */
  readonly label: string
  readonly steps: readonly Step[]
  readonly aside: ReactNode
  readonly asideLabel: string
  readonly onSubmit: () => void
}

export function LongForm({ label, steps, aside, asideLabel, onSubmit }: LongFormProps) {
  return (
    <form
      className={cx(page.cols, styles['with-steps'])}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
    >
      <div className={styles['form-grid']}>
        <nav className={styles.steps} aria-label={label}>
          {steps.map(({ id, title, isDone, isWrong }) => (
            <a key={id} href={`#${id}`}>
              <Sign mood={isWrong ? 'warn' : isDone ? 'busy' : 'off'} progress={100} />
              {title}
            </a>
          ))}
        </nav>
        <div className="stack-l">
          {steps.map(({ id, title, content }) => (
            <fieldset key={id} id={id} className="stack">
              <legend>
                <h2>{title}</h2>
              </legend>
              {content}
            </fieldset>
          ))}
        </div>
      </div>
      <aside className={cx('stack', page.sticky)} aria-label={asideLabel}>
        {aside}
      </aside>
    </form>
  )
}
