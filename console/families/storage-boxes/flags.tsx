/** Each thing that an account may do has a checkbox, which says what it means. */
import { Check } from '../../ui/check.tsx'
import { cx } from '../../ui/cx.ts'
import { boxes as w } from './words.ts'

export const boxFlags = [
  'ssh_enabled',
  'webdav_enabled',
  'reachable_externally',
  'zfs_enabled',
  'samba_enabled',
] as const
export const subaccountFlags = [
  'ssh_enabled',
  'webdav_enabled',
  'reachable_externally',
  'readonly',
  'samba_enabled',
] as const

type Flag = (typeof boxFlags)[number] | (typeof subaccountFlags)[number]

interface FlagsProps<Name extends Flag> {
  readonly flags: readonly Name[]
  /** A heading says it already. */
  readonly isLabelHidden?: boolean
  readonly value: Readonly<Record<Name, boolean>>
  readonly onChange: (value: Readonly<Record<Name, boolean>>) => void
}

export function FlagsField<Name extends Flag>({ flags, isLabelHidden = false, value, onChange }: FlagsProps<Name>) {
  return (
    <fieldset className="stack">
      <legend className={cx(isLabelHidden && 'vh')}>{w.access}</legend>
      {flags.map((flag) => (
        <Check
          key={flag}
          checked={value[flag]}
          aside={w.flagTexts[flag]}
          onChange={(isOn) => onChange({ ...value, [flag]: isOn })}
        >
          {w.flags[flag]}
        </Check>
      ))}
    </fieldset>
  )
}

/** The names of the flags that are on. */
export function flagsText<Name extends Flag>(flags: readonly Name[], value: Readonly<Record<Name, boolean>>): string {
  return flags
    .filter((flag) => value[flag])
    .map((flag) => w.flags[flag])
    .join(', ')
}
