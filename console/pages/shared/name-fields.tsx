/** The name and the labels of something new, which are the last section of a long form. */

import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import type { ProblemsOf } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'

interface Named {
  readonly name: string
  readonly labels: LabelMap
}

interface NameFieldsProps {
  readonly draft: Named
  readonly maxLength: number
  readonly problems: ProblemsOf
  readonly change: (part: Partial<Named>) => void
}

export function NameFields({ draft: { name, labels }, maxLength, problems, change }: NameFieldsProps) {
  return (
    <>
      <TextField
        label={c.name}
        value={name}
        maxLength={maxLength}
        problems={problems('name')}
        onChange={(name) => change({ name })}
      />
      <LabelsField value={labels} problems={problems('labels')} onChange={(labels) => change({ labels })} />
    </>
  )
}
