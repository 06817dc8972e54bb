/** Two to eight choices with a line of explanation each. */
import type { ReactNode } from 'react'
import { checkClass } from './check.tsx'
import styles from './tile.module.css'

interface TilesProps<Value extends string> {
  /** The name of the group in the form. */
  readonly name: string
  readonly value: Value | undefined
  readonly options: readonly {
    readonly value: Value
    readonly title: ReactNode
    readonly text?: ReactNode
    readonly isOff?: boolean
  }[]
  readonly onChange: (value: Value) => void
}

export function Tiles<Value extends string>({ name, value, options, onChange }: TilesProps<Value>) {
  return (
    <div className={styles.tiles}>
      {options.map((option) => (
        <label key={option.value} className={styles.tile}>
          <b>{option.title}</b>
          <input
            type="radio"
            className={checkClass}
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.isOff}
            onChange={() => onChange(option.value)}
          />
          {option.text && <span className="faint">{option.text}</span>}
        </label>
      ))}
    </div>
  )
}
