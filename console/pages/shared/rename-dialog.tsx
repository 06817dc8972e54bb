/** Gives a resource another name. */
import type { ApiRequest } from '../../api/operations.ts'
import { families } from '../../families.ts'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { TextField } from '../../ui/field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import { resources as w } from '../../words/resources.ts'
import { type ActsFamily, type Resource, requestOn } from './act.ts'
import { FormDialog } from './form-dialog.tsx'
import { useCurrent } from './use-current.ts'

interface RenameProps {
  readonly family: ActsFamily | 'servers'
  readonly row: Resource
  readonly onClose: () => void
}

export function RenameDialog({ family, row, onClose }: RenameProps) {
  const { current, isGone } = useCurrent(family, row)
  const { nameField: field = 'name' } = families[family]
  const draft = useDraft({ name: current[field] ?? row.name })
  const name = draft.value.name.trim()
  return (
    <FormDialog
      title={w.renameTitle(row.name)}
      act={w.rename}
      request={requestOn(row, family, 'update', { [field]: name }) as ApiRequest}
      isReady={name !== ''}
      isDirty={draft.isDirty}
      families={[family]}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={c.name}
            value={draft.value.name}
            problems={problems(field)}
            maxLength={128}
            onChange={(name) => draft.change({ name })}
          />
          <Elsewhere {...draft} />
          {isGone && <DeletedElsewhere />}
        </>
      )}
    </FormDialog>
  )
}
