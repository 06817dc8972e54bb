/** The volumes of a server: those that the request for it names. They stay, detached, when it goes away. */

import type { ActionStart } from '../../kernel/actions/store.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { keptParts } from '../../kernel/data/kept.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { after } from '../../kernel/process/at-once.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Attachment, NewServer } from '../servers/attachment.ts'
import { attachVolume, startChange } from './actions.ts'
import { attaching } from './desired.ts'
import { alreadyAttached, inAnotherLocation, maxVolumesOfServer, tooManyVolumes } from './domain.ts'
import { detachAll, setServer, volumes, volumesOfServers } from './store.ts'

const shown = keptParts(
  ({ serverId }: { readonly id: number; readonly serverId: number }) => serverId,
  (own) => ({ volumes: own.map(({ id }) => id) }),
)

export const volumeAttachment: Attachment = {
  async placeOf(query, scope, { volumes: asked = [] }) {
    return (await volumes.byIds(query, scope, asked.slice(0, 1)))[0]?.locationId
  },
  show: (query, scope, serverIds) => after(volumesOfServers(query, scope, serverIds), shown),
  async attach(tx, scope, server, { volumes: asked = [], automount = false }) {
    const ids = [...new Set(asked)]
    await checkVolumes(tx, scope, server, ids)
    const starts: ActionStart[] = []
    for (const volume of ids) {
      await setServer(tx, scope, volume, { server: server.id, automount })
      starts.push(startChange(attachVolume, { volume, server: server.id, automount }))
    }
    if (ids.length > 0) await attaching.renew(tx, scope, [server.id])
    return starts
  },
  detach: detachAll,
  desired: attaching,
}

/**
 * Locks what a new server asks for. Errors: `invalid_input` for what is missing or elsewhere, `volume_already_attached`,
 * `resource_limit_exceeded`.
 */
async function checkVolumes(
  tx: Transaction,
  scope: ProjectScope,
  server: NewServer,
  ids: readonly number[],
): Promise<void> {
  if (ids.length > maxVolumesOfServer) throw tooManyVolumes()
  await volumes.hold(tx, scope, ids, 'update')
  const found = new Map((await volumes.byIds(tx.query, scope, ids)).map((volume) => [volume.id, volume]))
  for (const id of ids) {
    const volume = found.get(id)
    if (!volume) throw invalidInput([{ field: 'volumes', message: `volume with ID ${id} not found` }])
    if (volume.serverId !== null) throw alreadyAttached(volume)
    if (volume.locationId !== server.locationId) throw inAnotherLocation('volumes')
  }
}
