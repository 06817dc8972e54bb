/** The sections of a long form, beside it: what is done, and what still needs something. */
import type { ReactNode } from 'react'
import { cx } from './cx.ts'
import { Problems } from './field.tsx'
import page from './page.module.css'
import { Sign } from './state.tsx'
import styles from './steps.module.css'

export interface Step {
  readonly id: string
  readonly title: string
  readonly isDone: boolean
  /** The problems of the section as a whole, each in a sentence. */
  readonly problems?: readonly string[] | undefined
  /** True if something in it is wrong, which is said there. */
  readonly isWrong?: boolean
  readonly content: ReactNode
}

/** Makes steps that are drawn from the whole form. */
export const stepsFrom =
  <Form extends object>(form: Form) =>
  (id: string, title: string, isDone: boolean, Content: (form: Form) => ReactNode): Step => ({
    id,
    title,
    isDone,
    content: <Content {...form} />,
  })

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
          {steps.map(({ id, title, isDone, isWrong, problems = [] }) => (
            <a key={id} href={`#${id}`}>
              <Sign mood={isWrong || problems.length > 0 ? 'warn' : isDone ? 'busy' : 'off'} progress={100} />
              {title}
            </a>
          ))}
        </nav>
        <div className="stack-l">
          {steps.map(({ id, title, content, problems = [] }) => (
            <fieldset
              key={id}
              id={id}
              className="stack"
              aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
            >
              <legend>
                <h2>{title}</h2>
              </legend>
              {problems.length > 0 && <Problems id={`${id}-problems`} problems={problems} />}
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
