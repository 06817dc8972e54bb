/** Writing an image over the disk of a server, after its name was typed. */
import { useApi } from '../../../api/api.ts'
import type { BodyFor } from '../../../api/operations.ts'
import { useOutdate } from '../../../api/use-outdate.ts'
import { Equivalents } from '../../../pages/shared/equivalents.tsx'
import type { Password } from '../../../pages/shared/passwords-dialog.tsx'
import { perform } from '../../../pages/shared/submit.ts'
import { Confirm } from '../../../ui/dialog.tsx'
import type { Image } from '../draft.ts'
import type { Server } from '../server.ts'
import { serverTabs } from './words.ts'

const w = serverTabs.change

/** Names an image; snapshots and backups have only a description. */
export function labelOf({ id, name, description }: Pick<Image, 'id' | 'name' | 'description'>): string {
  return name ?? (description || `#${id}`)
}

interface RebuildProps {
  readonly server: Server
  readonly image: Image
  /** Called where the reply has a root password, which is shown once. */
  readonly onPassword: (password: Password) => void
  readonly onClose: () => void
}

export function RebuildDialog({ server, image, onPassword, onClose }: RebuildProps) {
  const api = useApi()
  const outdate = useOutdate()
  const { id, name } = server
  const body: BodyFor<'servers_rebuild'> = { image: image.type === 'system' && image.name ? image.name : image.id }
  const request = { operation: 'servers_rebuild', params: { id }, body } as const
  const rebuild = async () => {
    const { root_password: password } = await perform<'servers_rebuild'>(api, request)
    if (password) onPassword({ name, password })
    await outdate('servers')
  }
  return (
    <Confirm
      title={w.rebuildTitle(name)}
      text={w.rebuildLoses(labelOf(image))}
      act={w.rebuildAct(labelOf(image))}
      word={name}
      onConfirm={rebuild}
      onClose={onClose}
    >
      <Equivalents request={request} />
    </Confirm>
  )
}
