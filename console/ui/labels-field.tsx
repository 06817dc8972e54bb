/** Editing labels: each is a tag, a new one is written as `key=value`. Checked by the API's own rules while typing. */
import { type KeyboardEvent, useId, useState } from 'react'
import { labelKeyProblem, labelValueProblem } from '../../src/kernel/contract/labels.ts'
import { common as w } from '../words/common.ts'
import fields from './field.module.css'
import { Field } from './field.tsx'
import { Tag, Tags } from './tag.tsx'

export type LabelMap = Readonly<Record<string, string>>

interface LabelsFieldProps {
  readonly value: LabelMap
  readonly onChange: (labels: LabelMap) => void
  readonly problems?: readonly string[] | undefined
  /** True if they are only shown. */
  readonly isFixed?: boolean
}

export function LabelsField({ value, onChange, problems = [], isFixed = false }: LabelsFieldProps) {
  const [draft, setDraft] = useState('')
  const listId = useId()
  const [key = '', ...rest] = draft.trim().split('=')
  const text = rest.join('=')
  const own =
    draft.trim() === '' ? [] : [labelKeyProblem(key), labelValueProblem(text)].filter((one) => one !== undefined)
  const add = () => {
    if (draft.trim() === '' || own.length > 0) return
    onChange({ ...value, [key]: text })
    setDraft('')
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ',') return
    if (draft.trim() === '') return
    event.preventDefault()
    add()
  }
  return (
    <div className="stack">
      <Field label={w.labels} hint={w.label.hint} problems={[...own, ...problems]}>
        {(ties) => (
          <input
            {...ties}
            className={`${fields.input} mono`}
            autoComplete="off"
            spellCheck={false}
            value={draft}
            disabled={isFixed}
            aria-controls={listId}
            onChange={({ target }) => setDraft(target.value)}
            onKeyDown={onKey}
            onBlur={add}
          />
        )}
      </Field>
      <div id={listId}>
        <Tags>
          {Object.entries(value).map(([name, content]) => (
            <Tag
              key={name}
              name={name}
              tip={`${name}=${content}`}
              onRemove={isFixed ? undefined : () => onChange(without(value, name))}
            >
              <i>{name}=</i>
              {content}
            </Tag>
          ))}
        </Tags>
      </div>
    </div>
  )
}

function without(labels: LabelMap, name: string): LabelMap {
  return Object.fromEntries(Object.entries(labels).filter(([key]) => key !== name))
}
