/** The dialogs of what can be done with every resource; loaded when one is asked for. */
import { useApi } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { DeletedElsewhere, Elsewhere } from '../../ui/elsewhere.tsx'
import { LabelsField } from '../../ui/labels-field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import { resources as w } from '../../words/resources.ts'
import { type ActsOptions, type Asked, type Resource, requestOn } from './act.ts'
import { Equivalents } from './equivalents.tsx'
import { FormDialog } from './form-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { perform } from './submit.ts'
import { useCurrent } from './use-current.ts'

interface ActsDialogsProps extends Asked<Resource> {
  readonly options: ActsOptions<Resource>
  readonly onRemoved: (() => void) | undefined
  readonly onClose: () => void
}

type DialogProps = Omit<ActsDialogsProps, 'kind'>

export function ActsDialogs({ kind, ...rest }: ActsDialogsProps) {
  if (kind === 'rename') return <RenameDialog family={rest.options.family} row={rest.row} onClose={rest.onClose} />
  if (kind === 'labels') return <LabelsDialog {...rest} />
  return <DeleteDialog {...rest} />
}

function LabelsDialog({ options: { family }, row, onClose }: DialogProps) {
  const { current, isGone } = useCurrent(family, row)
  const draft = useDraft({ labels: current.labels })
  const { labels } = draft.value
  return (
    <FormDialog
      title={`${c.labels}: ${row.name}`}
      act={c.save}
      request={requestOn(row, family, 'update', { labels: { ...labels } }) as ApiRequest}
      isDirty={draft.isDirty}
      families={[family]}
      labels={current.labels}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <LabelsField value={labels} onChange={(labels) => draft.change({ labels })} problems={problems('labels')} />
          <Elsewhere {...draft} />
          {isGone && <DeletedElsewhere />}
        </>
      )}
    </FormDialog>
  )
}

function DeleteDialog({ options, row, onClose, onRemoved }: DialogProps) {
  const { family, lost, touches = [], deleteAct = w.deleteAct(row.name), losesData = false } = options
  const api = useApi()
  const outdate = useOutdate()
  const request = requestOn(row, family, 'remove')
  const remove = async () => {
    await perform(api, request as ApiRequest)
    onRemoved?.()
    await outdate(family, ...touches)
  }
  return (
    <Confirm
      title={w.deleteTitle(row.name)}
      text={typeof lost === 'string' ? lost : lost(row)}
      act={deleteAct}
      word={losesData ? row.name : undefined}
      onConfirm={remove}
      onClose={onClose}
    >
      <Equivalents request={request} />
    </Confirm>
  )
}
