/** Fields of forms. A problem is shown below its field and belongs to it for screen readers too. */
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cx } from './cx.ts'
import styles from './field.module.css'
import { Icon } from './icon.tsx'
import { Said } from './said.tsx'
import { Sign } from './state.tsx'

interface FieldProps {
  readonly label: ReactNode
  readonly hint?: ReactNode
  /** The problems of the value, each in a sentence. */
  readonly problems?: readonly string[] | undefined
  readonly isLabelHidden?: boolean | undefined
}

/** The attributes that tie a control to its label, hint and problems. */
interface Ties {
  readonly id: string
  readonly 'aria-invalid': true | undefined
  readonly 'aria-describedby': string | undefined
}

export function Field({
  label,
  hint,
  problems,
  isLabelHidden,
  children,
}: FieldProps & { readonly children: (ties: Ties) => ReactNode }) {
  const id = useId()
  const isWrong = problems !== undefined && problems.length > 0
  const described = [isWrong && `${id}-e`, hint && `${id}-h`].filter(Boolean).join(' ') || undefined
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={cx(isLabelHidden && 'vh')}>
        {label}
      </label>
      {children({ id, 'aria-invalid': isWrong || undefined, 'aria-describedby': described })}
      {isWrong && <Problems id={`${id}-e`} problems={problems} />}
      {hint && (
        <p className={styles.hint} id={`${id}-h`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** Shows problems below the field or in the section that has them. */
export function Problems({ id, problems }: { readonly id: string; readonly problems: readonly string[] }) {
  return (
    <p className={styles.error} id={id}>
      <Sign mood="bad" />
      <Said texts={problems} />
    </p>
  )
}

interface TextProps extends FieldProps, Omit<ComponentProps<'input'>, 'className' | 'onChange' | 'value'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isMono?: boolean
}

export function TextField({ label, hint, problems, isLabelHidden, isMono, onChange, ...rest }: TextProps) {
  return (
    <Field {...{ label, hint, problems, isLabelHidden }}>
      {(ties) => (
        <input
          autoComplete="off"
          spellCheck={false}
          {...rest}
          {...ties}
          className={cx(styles.input, isMono && 'mono')}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface AreaProps extends FieldProps, Omit<ComponentProps<'textarea'>, 'className' | 'onChange' | 'value'> {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isMono?: boolean
}

export function AreaField({ label, hint, problems, isLabelHidden, isMono, onChange, ...rest }: AreaProps) {
  return (
    <Field {...{ label, hint, problems, isLabelHidden }}>
      {(ties) => (
        <textarea
          rows={4}
          spellCheck={false}
          {...rest}
          {...ties}
          className={cx(styles.area, isMono && 'mono')}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  )
}

interface SelectProps<Value extends string> extends FieldProps {
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string; readonly isOff?: boolean }[]
  readonly onChange: (value: Value) => void
  readonly name?: string
}

/** One of several; the list of the system, which every device and reader knows. */
export function SelectField<Value extends string>({ value, options, onChange, name, ...field }: SelectProps<Value>) {
  return (
    <Field {...field}>
      {(ties) => (
        <span className={styles.chooser}>
          <select
            {...ties}
            name={name}
            className={styles.select}
            value={value}
            onChange={({ target }) => onChange(target.value as Value)}
          >
            {options.map((option) => (
              <option key={option.value} value={option.value} disabled={option.isOff}>
                {option.label}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      )}
    </Field>
  )
}
