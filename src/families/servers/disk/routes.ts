/** Images, backups and rebuilds of servers through the API. */
import { randomBytes, randomInt } from 'node:crypto'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { recordOf, refuseLocked } from '../../../kernel/actions/store.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import { type Handlers, toIdOrName } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { enforceLimit } from '../../../kernel/resource/limits.ts'
import { act } from '../../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { hashPassword } from '../../../protocols/net/crypt.ts'
import { discardImages, images, lockBackups } from '../../images/effects.ts'
import { findTemplate, outOfReach, ownImageToWire, type Template, unfitFor } from '../../images/reads.ts'
import { startChange } from '../actions.ts'
import { serverChanges } from '../changes.ts'
import type { serverEndpoints } from '../contract.ts'
import { isConnected } from '../desired.ts'
import { backupWindowOf, makePassword, type Server } from '../domain.ts'
import { checkUserData, holdTemplate } from '../placement.ts'
import { servers } from '../store.ts'
import { disableBackup, enableBackup, rebuildServer, startImage } from './actions.ts'
import { setDisk } from './store.ts'

type DiskRoutes = Pick<Handlers<typeof serverEndpoints>, 'createImage' | 'enableBackup' | 'disableBackup' | 'rebuild'>

/** One handler for each endpoint that is about the disk of a server. */
export function diskRoutes(platform: Platform): DiskRoutes {
  const { db, catalogue, clock, infrastructureOf, limits } = platform

  return {
    createImage: ({ scope, params: { id }, body: { type = 'snapshot', description, labels = {} } }) =>
      db.transact(async (tx) => {
        // One that is not there is missing whatever the limit says.
        await servers.get(tx.query, scope, id)
        await enforceLimit(tx, scope, images, limits)
        const server = await servers.lock(tx, scope, id)
        if (type === 'backup' && server.backupWindow === null) {
          throw invalidInput([{ field: 'type', message: 'backups are not enabled for this server' }])
        }
        await refuseLocked(tx.query, scope, { type: 'server', id })
        const { image, action } = await startImage(tx, scope, catalogue, server, {
          type,
          description: description ?? undefined,
          labels,
        })
        return { image: ownImageToWire(image, clock.now()), action: actionToWire(action) }
      }),

    enableBackup: (call) =>
      act(platform, servers, call, async (tx, { id }) => {
        await servers.set(tx, call.scope, id, { backup_window: backupWindowOf(id) })
        return recordOf(enableBackup, servers.ref(id))
      }),

    disableBackup: (call) =>
      act(platform, servers, call, async (tx, { id }) => {
        const { scope } = call
        await refuseLocked(tx.query, scope, servers.ref(id))
        await servers.set(tx, scope, id, { backup_window: null })
        await discardImages(tx, scope, await lockBackups(tx, scope, id))
        return recordOf(disableBackup, servers.ref(id))
      }),

    async rebuild({ scope, params: { id }, body }) {
      if (body.user_data !== undefined && !inEffect(serverChanges.rebuild_user_data, clock.now())) {
        throw invalidInput([{ field: 'user_data', message: 'unknown field' }])
      }
      checkUserData(body.user_data ?? undefined)
      return db.transact(async (tx) => {
        const server = await servers.lock(tx, scope, id)
        if (server.protection.rebuild) throw new ApiError('protected', 'server rebuild is protected')
        const image = await findFitting(tx, scope, server, body.image)
        const password = server.sshKeys.length === 0 ? makePassword(randomInt) : null
        const action = await startChange(tx, scope, rebuildServer, id, () => holdTemplate(tx, scope, image))
        await setDisk(tx, scope, id, {
          image: image.id,
          userData: body.user_data ?? server.userData,
          rootPasswordHash: password === null ? null : hashPassword(password, randomBytes(12)),
          installation: action.id,
          starts: server.powerInForce === 'on' || (await isConnected(tx.query, scope, id)),
        })
        return { action: actionToWire(action), root_password: password }
      })
    },
  }

  /** The image for a server that is there already. Errors: `invalid_input`. */
  async function findFitting(
    tx: Transaction,
    scope: ProjectScope,
    { serverTypeId, primaryDiskSize: disk, locationId }: Server,
    wanted: number | string,
  ): Promise<Template> {
    const type = catalogue.serverTypeById(serverTypeId)
    if (!type) throw new Error(`the catalogue lacks server type ${serverTypeId}`)
    const { architecture } = type
    const image = await findTemplate(tx.query, scope, catalogue, toIdOrName(wanted), architecture)
    if (!image) throw invalidInput([{ field: 'image', message: 'image not found' }])
    const unfit = unfitFor(image, { architecture, disk }, clock.now())
    const problem = unfit ?? outOfReach(image, locationId, infrastructureOf)
    if (problem) throw invalidInput([{ field: 'image', message: problem }])
    return image
  }
}
