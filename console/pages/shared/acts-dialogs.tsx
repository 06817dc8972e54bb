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
import type { PlainFamily, PlainResource } from './acts.tsx'
import { Equivalents } from './equivalents.tsx'
import { FormDialog } from './form-dialog.tsx'
import { perform } from './submit.ts'

const w = wordsOf('resources', english)
const c = wordsOf('common', common)

interface ActsDialogsProps extends DeleteProps {
  readonly kind: 'rename' | 'labels' | 'delete'
}

export function ActsDialogs({ kind, lost, onRemoved, ...rest }: ActsDialogsProps) {
  if (kind === 'rename') return <RenameDialog {...rest} />
  if (kind === 'labels') return <LabelsDialog {...rest} />
  return <DeleteDialog {...rest} lost={lost} onRemoved={onRemoved} />
}

interface DialogProps {
  readonly family: PlainFamily
  readonly resource: PlainResource
  readonly onClose: () => void
}

function RenameDialog({ family, resource: { id, name }, onClose }: DialogProps) {
  const [text, setText] = useState(name)
  const request = {
    operation: `${family}_update`,
    params: { id },
    body: { name: text.trim() },
  } as ApiRequest<`${PlainFamily}_update`>
  return (
    <FormDialog
      title={w.renameTitle(name)}
      act={w.rename}
      request={text.trim() === '' ? undefined : request}
      families={[family]}
      onClose={onClose}
    >
      {(problems) => (
        <TextField label={c.name} value={text} problems={problems.name} maxLength={128} onChange={setText} />
      )}
    </FormDialog>
  )
}

function LabelsDialog({ family, resource: { id, name, labels }, onClose }: DialogProps) {
  const [value, setValue] = useState(labels)
  const request = {
    operation: `${family}_update`,
    params: { id },
    body: { labels: { ...value } },
  } as ApiRequest<`${PlainFamily}_update`>
  return (
    <FormDialog
      title={`${c.labels}: ${name}`}
      act={c.save}
      request={request}
      families={[family]}
      labels={labels}
      onClose={onClose}
    >
      {(problems) => <LabelsField value={value} onChange={setValue} problems={problems.labels} />}
    </FormDialog>
  )
}

interface DeleteProps extends DialogProps {
  readonly lost: string
  readonly onRemoved: (() => void) | undefined
}

function DeleteDialog({ family, resource: { id, name }, lost, onClose, onRemoved }: DeleteProps) {
  const api = useApi()
  const outdate = useOutdate()
  const request = { operation: `${family}_remove`, params: { id } } as ApiRequest<`${PlainFamily}_remove`>
  const remove = async () => {
    await perform(api, request)
    onRemoved?.()
    await outdate(family)
  }
  return (
    <Confirm
      title={w.deleteTitle(name)}
      text={lost}
      act={w.deleteAct(name)}
      word={name}
      onConfirm={remove}
      onClose={onClose}
    >
      <Equivalents request={request} />
    </Confirm>
  )
}
