/** Images, backups and rebuilds of servers, on request. */

import { randomBytes, randomInt } from 'node:crypto'
import type { Catalogue } from '../../../catalogue/catalogue.ts'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction } from '../../../kernel/actions/store.ts'
import type { Action } from '../../../kernel/actions/tables.ts'
import { noteTouched } from '../../../kernel/audit/note.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import { type Calls, toIdOrName } from '../../../kernel/contract/contract.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../../kernel/errors.ts'
import { timestamp } from '../../../kernel/process/clock.ts'
import { enforceLimit } from '../../../kernel/resource/limits.ts'
import { act } from '../../../kernel/resource/work.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { hashPassword } from '../../../protocols/net/crypt.ts'
import { discardImages, images, insertImage, lockBackups } from '../../images/effects.ts'
import { findTemplate, type OwnImage, outOfReach, ownImageToWire, type Template, unfitFor } from '../../images/reads.ts'
import { onServer, startChange } from '../actions.ts'
import { serverChanges } from '../changes.ts'
import type { serverEndpoints } from '../contract.ts'
import { isConnected } from '../desired.ts'
import { backupWindowOf, makePassword, type Server } from '../domain.ts'
import { servers } from '../store.ts'
import { checkUserData, holdTemplate } from '../work.ts'
import { createImage, disableBackup, enableBackup, rebuildServer } from './actions.ts'
import { setDisk } from './store.ts'

type Call = Calls<typeof serverEndpoints>

// ---- Copies --------------------------------------------------------------------------------------------------------

/** Makes a snapshot or a backup of a server. Errors: `resource_limit_exceeded`, `invalid_input`, `locked`. */
export function copy(platform: Platform, { scope, params: { id }, body }: Call['createImage']) {
  const { db, catalogue, clock, limits } = platform
  const { type = 'snapshot', description, labels = {} } = body
  return db.transact(async (tx) => {
    // One that is not there is missing whatever the limit says.
    await servers.get(tx.query, scope, id)
    await enforceLimit(tx, scope, images, limits)
    const server = await servers.lock(tx, scope, id)
    if (type === 'backup' && server.backupWindow === null) {
      throw invalidInput([{ field: 'type', message: 'backups are not enabled for this server' }])
    }
    await refuseLocked(tx.query, scope, { type: 'server', id })
    const request = { type, description: description ?? undefined, labels }
    const { image, action } = await startImage(tx, scope, catalogue, server, request)
    noteTouched(tx, image.id)
    return { image: ownImageToWire(image, clock.now()), action: actionToWire(action) }
  })
}

interface ImageRequest {
  readonly type: OwnImage['type']
  /** Undefined for a description of the server's name and the time. */
  readonly description: string | undefined
  readonly labels: Labels
}

/** Adds an image of a server that the transaction has locked and starts the action that makes it. Errors: `locked`. */
export async function startImage(
  tx: Transaction,
  scope: ProjectScope,
  catalogue: Catalogue,
  server: Server,
  { type, description = `${server.name} ${timestamp(tx.now)}`, labels }: ImageRequest,
): Promise<{ image: OwnImage; action: Action }> {
  const architecture = catalogue.serverTypeById(server.serverTypeId)?.architecture
  if (!architecture) throw new Error(`the catalogue lacks the type of server ${server.id}`)
  const source = server.imageId === null ? undefined : { id: server.imageId }
  const origin = source && (await findTemplate(tx.query, scope, catalogue, source, architecture))
  const image = await insertImage(tx, scope, {
    type,
    description,
    labels,
    architecture,
    diskSize: server.primaryDiskSize,
    createdFrom: { id: server.id, name: server.name },
    locationId: server.locationId,
    // The image that it was made from may be gone.
    osFlavor: origin?.osFlavor ?? 'unknown',
    osVersion: origin?.osVersion ?? null,
  })
  const { resources, locks, serial } = onServer(server.id)
  const ref = { type: 'image', id: image.id }
  const action = await startAction(tx, scope, {
    definition: createImage,
    input: { server: server.id, image: image.id },
    resources: [...resources, ref],
    locks: [...(locks ?? []), ref],
    serial: serial ?? [],
  })
  return { image, action }
}

/** Backs up a server every day from now on. */
export const beginBackups = (platform: Platform, call: Call['enableBackup']) =>
  act(platform, servers, call, async (tx, { id }) => {
    await servers.set(tx, call.scope, id, { backup_window: backupWindowOf(id) })
    return recordOf(enableBackup, servers.ref(id))
  })

/** Backs up a server no longer, and deletes its backups. Errors: `locked`. */
export const endBackups = (platform: Platform, call: Call['disableBackup']) =>
  act(platform, servers, call, async (tx, { id }) => {
    const { scope } = call
    await refuseLocked(tx.query, scope, servers.ref(id))
    await servers.set(tx, scope, id, { backup_window: null })
    await discardImages(tx, scope, await lockBackups(tx, scope, id))
    return recordOf(disableBackup, servers.ref(id))
  })

// ---- Rebuilds ------------------------------------------------------------------------------------------------------

/** Writes an image to the disk of a server. Errors: `invalid_input`, `protected`, `locked`. */
export async function rebuild(platform: Platform, { scope, params: { id }, body }: Call['rebuild']) {
  if (body.user_data !== undefined && !inEffect(serverChanges.rebuild_user_data, platform.clock.now())) {
    throw invalidInput([{ field: 'user_data', message: 'unknown field' }])
  }
  checkUserData(body.user_data ?? undefined)
  return platform.db.transact(async (tx) => {
    const server = await servers.lock(tx, scope, id)
    if (server.protection.rebuild) throw new ApiError('protected', 'server rebuild is protected')
    const image = await findFitting(platform, tx, scope, server, body.image)
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
}

/** The image for a server that is there already. Errors: `invalid_input`. */
async function findFitting(
  { catalogue, clock, infrastructureOf }: Platform,
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
