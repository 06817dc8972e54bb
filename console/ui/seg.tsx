/** Two to four choices in view, to filter by. */
import type { ReactNode } from 'react'
import styles from './seg.module.css'

interface SegProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[]
  readonly onChange: (value: Value) => void
}

export function Seg<Value extends string>({ label, value, options, onChange }: SegProps<Value>) {
  return (
    <fieldset className={styles.seg} aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          onClick={() => onChange(option.value)}
        >
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}
