/** One field of a request, drawn by what its schema allows. */
import { AreaField, SelectField, TextField } from '../../ui/field.tsx'
import { raw as w } from '../../words/raw.ts'
import { isPlain, type RawField } from './model.ts'

/** Longer texts get more than one line. */
const longText = 1_000

interface RawInputProps {
  readonly field: RawField
  readonly text: string
  readonly problem: string | undefined
  readonly onChange: (text: string) => void
}

export function RawInput({ field, text, problem, onChange }: RawInputProps) {
  const { name, field: model, isRequired, isList, hint } = field
  const { kind, isNullable } = model
  const isJson = !isList && !isPlain(model)
  const hints = [hint, isList && w.listHint, isJson && w.jsonHint, isNullable && w.nullHint].filter(Boolean)
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
    const values = kind === 'boolean' ? [w.yes, w.no] : model.options.map(String)
    const all = isNullable && !values.includes('null') ? [...values, 'null'] : values
    return (
      <SelectField
        {...shared}
        options={[{ value: '', label: w.notSent }, ...all.map((value) => ({ value, label: value }))]}
      />
    )
  }
  const isLong = kind === 'text' && (model.most ?? 0) > longText
  if (isJson || isLong) return <AreaField {...shared} isMono rows={3} />
  return <TextField {...shared} inputMode={kind === 'number' || kind === 'integer' ? 'numeric' : undefined} />
}
