/** Volumes are made, attached, resized and deleted on request. */
import { needCapability } from '../../catalogue/capabilities.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, refuseLocked, startAction, startActions } from '../../kernel/actions/store.ts'
import { byIdOrName, type Calls } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound, type Problem } from '../../kernel/errors.ts'
import { act, adding, removing } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { holdServers, serversByIds } from '../servers/reads.ts'
import {
  attachVolume,
  changeVolumeProtection,
  createVolume,
  detachVolume,
  involved,
  removeVolume,
  resizeVolume,
  startChange,
  startMaking,
} from './actions.ts'
import type { volumeEndpoints } from './contract.ts'
import { attaching, states } from './desired.ts'
import {
  alreadyAttached,
  inAnotherLocation,
  isVolumeName,
  maxVolumesOfServer,
  tooManyVolumes,
  type Volume,
} from './domain.ts'
import { insertVolume, setServer, volumes, volumesOfServers } from './store.ts'
import { volumeToWire } from './view.ts'

type Call = Calls<typeof volumeEndpoints>

/** Makes a volume, attached to a server if it names one. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Call['create']) {
  const { name, size, automount = false, format, labels = {} } = body
  const { server, location } = { server: body.server ?? undefined, location: body.location ?? undefined }
  checkName(name)
  if (automount && server === undefined) throw invalidInput([{ field: 'automount', message: 'needs a server' }])
  if (automount && !format) throw unmountable()
  return adding(platform, volumes, scope, async (tx) => {
    const place = await findPlace(platform, tx, scope, server, location)
    if (!format) needCapability(platform.capabilities(place.locationId), 'block_volumes')
    const given = { name, size, automount, format: format ?? null, labels, ...place }
    const volume = await insertVolume(tx, scope, given)
    const { id, serverId } = volume
    await states.renew(tx, scope, [id])
    const create = startMaking(createVolume, { volume: id }, involved(volume))
    const attach = serverId === null ? [] : [startChange(attachVolume, { volume: id, server: serverId, automount })]
    const [action, ...next] = (await startActions(tx, scope, [create, ...attach])).map(actionToWire)
    return { added: volume, reply: { volume: volumeToWire(platform, volume), action: action!, next_actions: next } }
  })
}

/** A volume that is made without a file system has nothing to mount. */
function unmountable() {
  const message = 'a volume without a format cannot be mounted'
  return invalidInput(['format', 'automount'].map((field) => ({ field, message })))
}

/** Exactly one of both says where it is; a server brings its own location. Errors: `invalid_input`, and of the server. */
async function findPlace(
  { catalogue }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  server: number | undefined,
  location: string | number | undefined,
): Promise<{ locationId: number; serverId: number | null }> {
  if ((server === undefined) === (location === undefined)) {
    const message = 'exactly one of server and location is required'
    const problems: Problem[] = ['server', 'location'].map((field) => ({ field, message }))
    throw invalidInput(problems)
  }
  if (server !== undefined) {
    await holdServers(tx, scope, [server], 'update')
    const [found] = await serversByIds(tx.query, scope, [server])
    if (!found) throw invalidInput([{ field: 'server', message: 'server not found' }])
    await checkServer(tx, scope, server)
    return { locationId: found.locationId, serverId: server }
  }
  const found = byIdOrName(location as string | number, catalogue.locationById, catalogue.locationByName)
  if (!found) throw invalidInput([{ field: 'location', message: 'location not found' }])
  return { locationId: found.id, serverId: null }
}

/** Deletes a volume. Errors: `service_error` while a server has it. */
export const remove = (platform: Platform, call: Call['remove']) =>
  removing(platform, volumes, call, async (tx, { id, serverId }) => {
    const { scope } = call
    if (serverId !== null) throw new ApiError('service_error', `volume with ID '${id}' is still attached to a server`)
    await states.renew(tx, scope, [id])
    await startAction(tx, scope, { definition: removeVolume, input: { volume: id }, resources: [volumes.ref(id)] })
  })

/** Attaches a volume to a server. Errors: those that the contract declares. */
export function attach(platform: Platform, call: Call['attach']) {
  const { scope, body } = call
  const { server, automount = false } = body
  const work = async (tx: Transaction, volume: Volume, known: ReadonlySet<number>) => {
    const { id } = volume
    if (!known.has(server)) throw notFound('server', server)
    if (volume.serverId !== null) throw alreadyAttached(volume)
    const [target] = await serversByIds(tx.query, scope, [server])
    if (target!.locationId !== volume.locationId) throw inAnotherLocation('server')
    await checkServer(tx, scope, server)
    await setServer(tx, scope, id, { server, automount })
    await attaching.renew(tx, scope, [server])
    return startChange(attachVolume, { volume: id, server, automount })
  }
  return act(platform, volumes, call, work, (tx) => holdServers(tx, scope, [server], 'update'))
}

/** Detaches a volume from its server. Errors: `service_error`, `locked`. */
export const detach = (platform: Platform, call: Call['detach']) =>
  act(platform, volumes, call, async (tx, { id, serverId: server, automount }) => {
    if (server === null) throw new ApiError('service_error', 'the volume is not attached to a server')
    await setServer(tx, call.scope, id, { server: null, automount })
    await attaching.renew(tx, call.scope, [server])
    return startChange(detachVolume, { volume: id, server, automount })
  })

/** Makes a volume larger. Errors: `invalid_input`, `locked`. */
export const resize = (platform: Platform, call: Call['resize']) =>
  act(platform, volumes, call, async (tx, { id, size: from }) => {
    const { size } = call.body
    if (size <= from) throw invalidInput([{ field: 'size', message: `must be greater than ${from}` }])
    await volumes.set(tx, call.scope, id, { size })
    await states.renew(tx, call.scope, [id])
    return startMaking(resizeVolume, { volume: id, from }, [volumes.ref(id)])
  })

/** Protects a volume from deletion, or no longer. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, volumes, call, async (tx, volume) => {
    const protect_delete = (call.body.delete ?? volume.isProtected) ? 1 : 0
    await volumes.set(tx, call.scope, volume.id, { protect_delete })
    return recordOf(changeVolumeProtection, ...involved(volume))
  })

/** Errors: `invalid_input`. */
export function checkName(name: string | undefined): void {
  if (name === undefined || isVolumeName(name)) return
  const message = 'may have letters, digits, dashes, underscores and dots, and begins and ends with a letter or digit'
  throw invalidInput([{ field: 'name', message }])
}

/** Refuses a locked server that cannot get one more volume. Errors: `locked`, `resource_limit_exceeded`. */
async function checkServer(tx: Transaction, scope: ProjectScope, server: number): Promise<void> {
  await refuseLocked(tx.query, scope, { type: 'server', id: server })
  if ((await volumesOfServers(tx.query, scope, [server])).length >= maxVolumesOfServer) throw tooManyVolumes()
}
