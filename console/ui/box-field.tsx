/** A field with an icon and a key inside, such as a filter. */
import { type ComponentProps, useId } from 'react'
import styles from './field.module.css'
import { Icon, type IconName } from './icon.tsx'
import { Said, said } from './said.tsx'

interface BoxProps extends Omit<ComponentProps<'input'>, 'className' | 'onChange' | 'value'> {
  readonly icon: IconName
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  /** The key that leads here. */
  readonly hotkey?: string
  /** A problem with the text. */
  readonly problem?: string | undefined
}

export function BoxField({ icon, label, onChange, hotkey, problem, ...rest }: BoxProps) {
  const id = useId()
  return (
    <div className={styles.box}>
      <Icon name={icon} />
      <input
        autoComplete="off"
        spellCheck={false}
        {...rest}
        aria-label={label}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem && id}
        title={problem && said(problem)}
        className={styles.input}
        onChange={({ target }) => onChange(target.value)}
      />
      {hotkey && <kbd>{hotkey}</kbd>}
      {problem && (
        <span className="vh" id={id} role="status">
          <Said texts={[problem]} />
        </span>
      )}
    </div>
  )
}
