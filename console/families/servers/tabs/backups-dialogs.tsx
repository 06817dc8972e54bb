/** The dialogs of backups and snapshots. */
import { type ReactNode, useState } from 'react'
import { ConfirmRequest } from '../../../pages/shared/confirm-request.tsx'
import { FormDialog } from '../../../pages/shared/form-dialog.tsx'
import type { Password } from '../../../pages/shared/passwords-dialog.tsx'
import { TextField } from '../../../ui/field.tsx'
import type { Image } from '../draft.ts'
import type { Server } from '../server.ts'
import { labelOf, RebuildDialog } from './rebuild-dialog.tsx'
import { serverTabs } from './words.ts'

const w = serverTabs.backups
const changed = ['servers', 'images']

/** A dialog that was asked for. */
export type BackupsAct =
  | { readonly kind: 'enable' | 'disable' | 'snapshot' | 'backup' }
  | { readonly kind: 'rebuild' | 'keep' | 'delete'; readonly image: Image }

interface DialogsProps {
  readonly asked: BackupsAct
  readonly server: Server
  readonly onPassword: (password: Password) => void
  readonly onClose: () => void
}

export function BackupsDialogs({ asked, server, onPassword, onClose }: DialogsProps): ReactNode {
  const params = { id: server.id }
  switch (asked.kind) {
    case 'enable':
      return (
        <FormDialog
          title={w.enableTitle(server.name)}
          text={w.off}
          act={w.enable}
          request={{ operation: 'servers_enableBackup', params }}
          families={changed}
          onClose={onClose}
        />
      )
    case 'disable':
      return (
        <ConfirmRequest
          title={w.disableTitle(server.name)}
          text={w.disableText}
          act={w.disable}
          word={server.name}
          request={{ operation: 'servers_disableBackup', params }}
          families={changed}
          onClose={onClose}
        />
      )
    case 'snapshot':
    case 'backup':
      return <TakeDialog type={asked.kind} server={server} onClose={onClose} />
    case 'rebuild':
      return <RebuildDialog server={server} image={asked.image} onPassword={onPassword} onClose={onClose} />
    case 'keep':
      return (
        <FormDialog
          title={w.keepTitle(labelOf(asked.image))}
          text={w.keepText}
          act={w.keep}
          request={{ operation: 'images_update', params: { id: asked.image.id }, body: { type: 'snapshot' } }}
          families={changed}
          onClose={onClose}
        />
      )
    case 'delete':
      return (
        <ConfirmRequest
          title={w.deleteTitle(labelOf(asked.image))}
          text={w.deleteText}
          act={w.deleteAct(w.kinds[asked.image.type] ?? '')}
          word={labelOf(asked.image)}
          request={{ operation: 'images_remove', params: { id: asked.image.id } }}
          families={changed}
          onClose={onClose}
        />
      )
  }
}

interface TakeProps {
  readonly type: 'snapshot' | 'backup'
  readonly server: Server
  readonly onClose: () => void
}

function TakeDialog({ type, server, onClose }: TakeProps) {
  const [description, setDescription] = useState('')
  const text = description.trim()
  const isSnapshot = type === 'snapshot'
  return (
    <FormDialog
      title={isSnapshot ? w.takeTitle(server.name) : w.takeBackupTitle(server.name)}
      text={isSnapshot ? w.takeText : w.takeBackupText}
      act={isSnapshot ? w.take : w.takeBackup}
      request={{
        operation: 'servers_createImage',
        params: { id: server.id },
        body: { type, ...(text === '' ? {} : { description: text }) },
      }}
      families={changed}
      onClose={onClose}
    >
      {(problems) => (
        <TextField
          label={w.description}
          value={description}
          problems={problems('description')}
          maxLength={1024}
          onChange={setDescription}
        />
      )}
    </FormDialog>
  )
}
