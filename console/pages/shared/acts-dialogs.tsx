/** The dialogs of what can be done with every resource; loaded when one is asked for. */
import { useState } from 'react'
import { useApi, useOutdate } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { LabelsField } from '../../ui/labels-field.tsx'
import { common } from '../../words/en/common.ts'
import { resources as english } from '../../words/en/resources.ts'
import { wordsOf } from '../../words/words.ts'
import { type ActsOptions, type Asked, type Resource, requestOn } from './acts.tsx'
import { Equivalents } from './equivalents.tsx'
import { FormDialog } from './form-dialog.tsx'
import { perform } from './submit.ts'

const w = wordsOf('resources', english)
const c = wordsOf('common', common)

interface ActsDialogsProps extends Asked<Resource> {
  readonly options: ActsOptions<Resource>
  readonly onRemoved: (() => void) | undefined
  readonly onClose: () => void
}

type DialogProps = Omit<ActsDialogsProps, 'kind'>

export function ActsDialogs({ kind, ...rest }: ActsDialogsProps) {
  if (kind === 'rename') return <RenameDialog {...rest} />
  if (kind === 'labels') return <LabelsDialog {...rest} />
  return <DeleteDialog {...rest} />
}

function RenameDialog({ options: { family }, row, onClose }: DialogProps) {
  const [text, setText] = useState(row.name)
  // Snapshots and backups have a description where others have a name.
  const field = family === 'images' ? 'description' : 'name'
  return (
    <FormDialog
      title={w.renameTitle(row.name)}
      act={w.rename}
      request={requestOn(row, family, 'update', { [field]: text.trim() }) as ApiRequest}
      isReady={text.trim() !== ''}
      families={[family]}
      onClose={onClose}
    >
      {(problems) => (
        <TextField label={c.name} value={text} problems={problems(field)} maxLength={128} onChange={setText} />
      )}
    </FormDialog>
  )
}

function LabelsDialog({ options: { family }, row, onClose }: DialogProps) {
  const [value, setValue] = useState(row.labels)
  return (
    <FormDialog
      title={`${c.labels}: ${row.name}`}
      act={c.save}
      request={requestOn(row, family, 'update', { labels: { ...value } }) as ApiRequest}
      families={[family]}
      labels={row.labels}
      onClose={onClose}
    >
      {(problems) => <LabelsField value={value} onChange={setValue} problems={problems('labels')} />}
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
