/** Checkboxes, radio buttons and switches, with their words. */
import type { ComponentProps, ReactNode } from 'react'
import styles from './check.module.css'
import { cx } from './cx.ts'

interface CheckProps extends Omit<ComponentProps<'input'>, 'className' | 'onChange' | 'type' | 'children'> {
  readonly kind?: 'checkbox' | 'radio' | 'switch'
  /** Some but not all of what it stands for. */
  readonly isMixed?: boolean
  readonly onChange: (checked: boolean) => void
  readonly aside?: ReactNode
  readonly children?: ReactNode
}

/** Only a script can say that a box is mixed. */
function mix(box: HTMLInputElement): () => void {
  box.indeterminate = true
  return () => {
    box.indeterminate = false
  }
}

/** Needs an `aria-label` where no words stand beside it. */
export function Check({ kind = 'checkbox', isMixed = false, onChange, aside, children, ...rest }: CheckProps) {
  const input = (
    <input
      {...rest}
      ref={isMixed ? mix : undefined}
      type={kind === 'radio' ? 'radio' : 'checkbox'}
      role={kind === 'switch' ? 'switch' : undefined}
      className={cx(styles.check, kind === 'switch' && styles.toggle, isMixed && styles.mixed)}
      onChange={({ target }) => onChange(target.checked)}
    />
  )
  if (!children) return input
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is inside
    <label className={styles.opt}>
      {input}
      <span>
        {children}
        {aside && <span className="faint"> · {aside}</span>}
      </span>
    </label>
  )
}

/** The class of the control, for parts that draw their own label. */
export const checkClass = styles.check
