/** Making, describing and deleting snapshots of a Storage Box, and rolling it back to one. */
import { useState } from 'react'
import type { ApiRequest } from '../../api/operations.ts'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { Elsewhere } from '../../ui/elsewhere.tsx'
import { TextField } from '../../ui/field.tsx'
import { type LabelMap, LabelsField } from '../../ui/labels-field.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { common as c } from '../../words/common.ts'
import { exactTime, list } from '../../words/format.ts'
import type { Box, Snapshot } from './box.ts'
import { snapshots as w } from './snapshots.words.ts'

export type SnapshotKind = 'make' | 'edit' | 'rollBack' | 'delete'

interface DialogsProps {
  readonly box: Box
  /** All snapshots of the box as they are now, the newest first. */
  readonly all: readonly Snapshot[]
  readonly kind: SnapshotKind
  /** The one that it is about, but for a new one. */
  readonly snapshot?: Snapshot
  readonly onClose: () => void
}

interface OneProps extends DialogsProps {
  readonly snapshot: Snapshot
}

const families = ['storage_boxes']

export function SnapshotDialogs(props: DialogsProps) {
  const { kind, all, snapshot } = props
  if (snapshot === undefined) return <MakeDialog {...props} />
  const now = { ...props, snapshot: all.find(({ id }) => id === snapshot.id) ?? snapshot }
  if (kind === 'edit') return <EditDialog {...now} />
  return kind === 'rollBack' ? <RollBackDialog {...now} /> : <DeleteDialog {...now} />
}

function MakeDialog({ box: { id, name }, onClose }: DialogsProps) {
  const [description, setDescription] = useState('')
  const [labels, setLabels] = useState<LabelMap>({})
  const request: ApiRequest<'storage_boxes_createSnapshot'> = {
    operation: 'storage_boxes_createSnapshot',
    params: { id },
    body: {
      ...(description.trim() === '' ? {} : { description: description.trim() }),
      ...(Object.keys(labels).length > 0 ? { labels: { ...labels } } : {}),
    },
  }
  return (
    <FormDialog
      title={w.makeTitle(name)}
      text={w.makeText}
      act={w.make}
      request={request}
      families={families}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.description}
            hint={w.descriptionHint}
            value={description}
            maxLength={1000}
            problems={problems('description')}
            onChange={setDescription}
          />
          <LabelsField value={labels} problems={problems('labels')} onChange={setLabels} />
        </>
      )}
    </FormDialog>
  )
}

function EditDialog({ box, snapshot, onClose }: OneProps) {
  const draft = useDraft({ description: snapshot.description, labels: snapshot.labels as LabelMap })
  const { description, labels } = draft.value
  const request: ApiRequest<'storage_boxes_updateSnapshot'> = {
    operation: 'storage_boxes_updateSnapshot',
    params: { id: box.id, snapshot_id: snapshot.id },
    body: { description, labels: { ...labels } },
  }
  return (
    <FormDialog
      title={w.editTitle(snapshot.name)}
      act={c.save}
      request={request}
      isDirty={draft.isDirty}
      families={families}
      labels={snapshot.labels}
      onClose={onClose}
    >
      {(problems) => (
        <>
          <TextField
            label={w.description}
            hint={w.descriptionHint}
            value={description}
            maxLength={1000}
            problems={problems('description')}
            onChange={(description) => draft.change({ description })}
          />
          <LabelsField value={labels} problems={problems('labels')} onChange={(labels) => draft.change({ labels })} />
          <Elsewhere {...draft} />
        </>
      )}
    </FormDialog>
  )
}

/** Names what is lost: newer files, and each newer snapshot. */
function RollBackDialog({ box, all, snapshot, onClose }: OneProps) {
  const newer = all.filter(({ id }) => id > snapshot.id).map(({ name }) => name)
  const request: ApiRequest<'storage_boxes_rollbackSnapshot'> = {
    operation: 'storage_boxes_rollbackSnapshot',
    params: { id: box.id },
    body: { snapshot: snapshot.id },
  }
  return (
    <ConfirmRequest
      title={w.rollBackTitle(box.name, snapshot.name)}
      text={[
        w.rollBackText(exactTime(snapshot.created)),
        newer.length === 0 ? w.noneNewer : w.newerGo(newer.length, list(newer, w.moreNames)),
      ].join(' ')}
      act={w.rollBackAct}
      word={box.name}
      request={request}
      families={families}
      onClose={onClose}
    />
  )
}

function DeleteDialog({ box, snapshot, onClose }: OneProps) {
  const request: ApiRequest<'storage_boxes_removeSnapshot'> = {
    operation: 'storage_boxes_removeSnapshot',
    params: { id: box.id, snapshot_id: snapshot.id },
  }
  return (
    <ConfirmRequest
      title={w.removeTitle(snapshot.name)}
      text={w.removeText}
      act={w.remove}
      request={request}
      families={families}
      onClose={onClose}
    />
  )
}
