/** A new folder in a Storage Box, another path for something in it, and the end of it. */
import { useState } from 'react'
import type { ItemOf } from '../../api/api.ts'
import type { ApiRequest } from '../../api/operations.ts'
import { ConfirmRequest } from '../../pages/shared/confirm-request.tsx'
import { FormDialog } from '../../pages/shared/form-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { common as c } from '../../words/common.ts'
import type { Box } from './box.ts'
import { files as w } from './files.words.ts'
import { inFolder } from './use-uploads.ts'

export type FileKind = 'folder' | 'move' | 'remove'

interface OneProps {
  readonly box: Box
  readonly file: ItemOf<'storage_boxes_listFiles'>
  readonly onClose: () => void
}

interface DialogsProps extends Omit<OneProps, 'file'> {
  /** The folder that is open. */
  readonly folder: string
  readonly kind: FileKind
  /** The dialog is about this file, but for a new folder. */
  readonly file: OneProps['file'] | undefined
}

const families = ['storage_boxes']

export function FileDialogs(props: DialogsProps) {
  const { kind, file, ...rest } = props
  if (!file) return <FolderDialog {...props} />
  return kind === 'move' ? <MoveDialog {...rest} file={file} /> : <RemoveDialog {...rest} file={file} />
}

function FolderDialog({ box: { id, name: box }, folder, onClose }: DialogsProps) {
  const [name, setName] = useState('')
  const request: ApiRequest<'storage_boxes_createFolder'> = {
    operation: 'storage_boxes_createFolder',
    params: { id },
    body: { path: inFolder(folder, name) },
  }
  return (
    <FormDialog
      title={w.folderTitle(folder || box)}
      act={w.folderAct}
      request={name === '' ? undefined : request}
      reason={name.includes('/') ? w.noSlash : undefined}
      families={families}
      onClose={onClose}
    >
      {(problems) => <TextField label={c.name} value={name} problems={problems('path')} onChange={setName} />}
    </FormDialog>
  )
}

function MoveDialog({ box: { id }, file, onClose }: OneProps) {
  const [path, setPath] = useState(file.path)
  const request: ApiRequest<'storage_boxes_renameFile'> = {
    operation: 'storage_boxes_renameFile',
    params: { id },
    body: { from: file.path, to: path },
  }
  return (
    <FormDialog
      title={w.moveTitle(file.name)}
      act={w.moveAct}
      request={path === '' || path === file.path ? undefined : request}
      families={families}
      onClose={onClose}
    >
      {(problems) => (
        <TextField label={w.path} hint={w.pathHint} isMono value={path} problems={problems('to')} onChange={setPath} />
      )}
    </FormDialog>
  )
}

/** A folder may have anything in it, so its name is typed first. */
function RemoveDialog({ box: { id }, file: { kind, name, path }, onClose }: OneProps) {
  const isFolder = kind === 'directory'
  const request: ApiRequest<'storage_boxes_removeFile'> = {
    operation: 'storage_boxes_removeFile',
    params: { id },
    query: { path },
  }
  return (
    <ConfirmRequest
      title={w.removeTitle(name)}
      text={isFolder ? w.removeFolderText : w.removeText}
      act={isFolder ? w.removeFolder : w.removeFile}
      word={isFolder ? name : undefined}
      request={request}
      families={families}
      onClose={onClose}
    />
  )
}
