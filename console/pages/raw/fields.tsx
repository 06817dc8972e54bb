/** One field of a request, drawn by what its schema allows. */
import { AreaField, SelectField, TextField } from '../../ui/field.tsx'
import { raw } from '../../words/en/raw.ts'
import { wordsOf } from '../../words/words.ts'
import type { RawField } from './model.ts'

const w = wordsOf('raw', raw)

interface RawInputProps {
  readonly field: RawField
  readonly text: string
  readonly problem: string | undefined
  readonly onChange: (text: string) => void
}

export function RawInput({ field, text, problem, onChange }: RawInputProps) {
  const { name, kind, isRequired, isNullable, isList, options, hint } = field
  const hints = [hint, isList && w.listHint, kind === 'json' && w.jsonHint, isNullable && w.nullHint].filter(Boolean)
  const shared = {
    label: (
      <>
        <span className="mono">{name}</span>
        {isRequired && <span className="faint"> {w.required}</span>}
      </>
    ),
    ...(hints.length > 0 ? { hint: hints.map((text) => String(text).replace(/\.?$/, '.')).join(' ') } : {}),
    problems: problem === undefined ? undefined : [problem],
    value: text,
    onChange,
  }
  if (kind === 'choice' || kind === 'boolean') {
    const values = kind === 'boolean' ? [w.yes, w.no] : options
    const all = isNullable && !values.includes('null') ? [...values, 'null'] : values
    return (
      <SelectField
        {...shared}
        options={[{ value: '', label: w.notSent }, ...all.map((value) => ({ value, label: value }))]}
      />
    )
  }
  if (kind === 'json' || kind === 'long') return <AreaField {...shared} isMono rows={3} />
  return <TextField {...shared} inputMode={kind === 'number' ? 'numeric' : undefined} />
}
