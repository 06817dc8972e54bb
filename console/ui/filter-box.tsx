/** The filter of a list, which its key leads to. */
import { useRef } from 'react'
import { BoxField } from './box-field.tsx'
import { useShortcut } from './use-shortcut.ts'

interface FilterBoxProps {
  readonly label: string
  readonly hint: string
  readonly value: string | undefined
  /** A problem with the text. */
  readonly problem?: string | undefined
  /** Undefined for an empty filter. */
  readonly onChange: (text: string | undefined) => void
}

export function FilterBox({ label, hint, value = '', problem, onChange }: FilterBoxProps) {
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  return (
    <BoxField
      ref={box}
      icon="search"
      type="search"
      label={label}
      placeholder={hint}
      hotkey="/"
      value={value}
      problem={problem}
      onChange={(text) => onChange(text || undefined)}
    />
  )
}
