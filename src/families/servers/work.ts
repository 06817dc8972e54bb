/** Servers are made, started, stopped, protected and deleted on request (spec: Servers). */
import { randomBytes, randomInt } from 'node:crypto'
import { type Catalogue, type Location, type ServerType, serverTypeOrderable } from '../../catalogue/catalogue.ts'
import { lockProject } from '../../kernel/access/projects.ts'
import type { ActionDefinition } from '../../kernel/actions/define.ts'
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, recordOf, startAction, startActions, toStart } from '../../kernel/actions/store.ts'
import type { Action } from '../../kernel/actions/tables.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { byIdOrName, type Calls, toIdOrName } from '../../kernel/contract/contract.ts'
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, type Problem } from '../../kernel/errors.ts'
import { act, adding } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { hashPassword } from '../../protocols/net/crypt.ts'
import { isHostName } from '../../protocols/net/hostnames.ts'
import { locationOfDatacenter } from '../datacenters/reads.ts'
import { images } from '../images/effects.ts'
import { findTemplate, outOfReach, type Template, unfitFor } from '../images/reads.ts'
import { sshKeysNamed } from '../ssh-keys/reads.ts'
import {
  changeServerProtection,
  createServer,
  destroyServer,
  type Input,
  onServer,
  rebootServer,
  resetServer,
  shutdownServer,
  startServer,
  stopServer,
} from './actions.ts'
import type { CreateBody } from './attachment.ts'
import { attachments } from './attachments.ts'
import { serverChanges } from './changes.ts'
import type { serverEndpoints } from './contract.ts'
import { isConnected, state } from './desired.ts'
import { allows, makePassword, memoryMbOf, type Server } from './domain.ts'
import { insertServer, type PowerChange, servers, setPower } from './store.ts'
import { serverToWire } from './view.ts'

type Call = Calls<typeof serverEndpoints>

// ---- Creation ------------------------------------------------------------------------------------------------------

/** Makes a server with all that the request asks for. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Call['create']) {
  checkRequest(body)
  const placement = await placeServer(platform, scope, body)
  const sshKeys = await requestedKeys(platform.db.query, scope, body)
  const password = sshKeys.length === 0 ? makePassword(randomInt) : null
  return adding(platform, servers, scope, async (tx) => {
    for (const { limit } of attachments) await limit?.(tx, scope, body, platform.limits)
    await lockProject(tx, scope, 'share')
    for (const { hold } of attachments) await hold?.(tx, scope, body)
    const server = await insertServer(tx, scope, newServer(body, placement, sshKeys, password))
    await state.renew(tx, scope, [server.id])
    await holdTemplate(tx, scope, placement.image)
    const attached: ActionStart[] = []
    for (const { attach } of attachments) {
      attached.push(...((await attach?.(tx, scope, server, body, platform)) ?? []))
    }
    const [action, ...next] = await startCreation(tx, scope, server, attached, body.start_after_create !== false)
    const shown = await serverToWire(platform, tx.query, scope, server)
    return { added: server, reply: { server: shown, action: action!, next_actions: next, root_password: password } }
  })
}

function newServer(body: CreateBody, { type, location, image }: Placement, sshKeys: string[], password: string | null) {
  return {
    name: body.name,
    serverTypeId: type.id,
    locationId: location.id,
    imageId: image.id,
    cores: type.cores,
    memoryMb: memoryMbOf(type),
    primaryDiskSize: type.disk,
    userData: body.user_data ?? null,
    sshKeys,
    rootPasswordHash: password === null ? null : hashPassword(password, randomBytes(12)),
    labels: body.labels ?? {},
  }
}

/**
 * Starts what makes the server: creation, what is attached to it, then its power. They run in this order, because they
 * wait for each other by id; the last one has the lock, so that the server is locked until all is done. The reply names
 * the start first, as clients know it (spec: Servers).
 */
async function startCreation(
  tx: Transaction,
  scope: ProjectScope,
  server: Server,
  attached: readonly ActionStart[],
  starts: boolean,
) {
  const { resources, locks, serial } = onServer(server.id)
  const input = { server: server.id }
  const create = toStart({
    definition: createServer,
    input: { ...input, starts },
    resources: [...resources, { type: 'image', id: server.imageId as number }],
    serial: serial!,
  })
  const start = starts ? [toStart({ definition: startServer, input, resources, serial: serial! })] : []
  const all = [create, ...attached, ...start]
  const last = all.at(-1)!
  const holding = all.with(-1, { ...last, locks: [...(last.locks ?? []), ...locks!] })
  const actions = (await startActions(tx, scope, holding)).map(actionToWire)
  return starts ? [actions[0]!, actions.at(-1)!, ...actions.slice(1, -1)] : actions
}

// ---- Changes -------------------------------------------------------------------------------------------------------

/** Errors: `invalid_input`. */
export function checkName(name: string | undefined): void {
  if (name === undefined || isHostName(name)) return
  throw invalidInput([{ field: 'name', message: 'Name must be a valid hostname.' }])
}

/** Labels of a server do not change while selectors of the Project are judged. */
export async function beforeUpdate(
  tx: Transaction,
  scope: ProjectScope,
  { labels }: Call['update']['body'],
): Promise<void> {
  if (labels) await lockProject(tx, scope, 'share')
}

/** Lets what hangs on a server follow its new name and labels. */
export async function afterUpdate(
  tx: Transaction,
  scope: ProjectScope,
  server: Server,
  { name, labels }: Call['update']['body'],
): Promise<void> {
  if (name !== undefined) await state.renew(tx, scope, [server.id])
  if (!labels) return
  const starts: ActionStart[] = []
  for (const { relabel } of attachments) starts.push(...((await relabel?.(tx, scope, server)) ?? []))
  await startActions(tx, scope, starts)
}

/** Protects a server from deletion and rebuild, which go together. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, servers, call, async (tx, server) => {
    const protection = { ...server.protection, ...call.body }
    if (protection.delete !== protection.rebuild) {
      const message = 'delete and rebuild must have the same value'
      throw invalidInput(['delete', 'rebuild'].map((field) => ({ field, message })))
    }
    const on = protection.delete ? 1 : 0
    await servers.set(tx, call.scope, server.id, { protect_delete: on, protect_rebuild: on })
    return recordOf(changeServerProtection, servers.ref(server.id))
  })

// ---- Power ---------------------------------------------------------------------------------------------------------

interface PowerCommand {
  readonly definition: ActionDefinition<Input>
  /** Says how the power is to be from now on. */
  wanted(server: Server, actionId: number): PowerChange
}

const powerCommands = {
  powerOn: {
    definition: startServer,
    wanted: ({ status }) => ({ power: 'on', manner: 'hard', status: allows(status, 'powerOn') ? 'starting' : status }),
  },
  powerOff: {
    definition: stopServer,
    wanted: ({ status }) => ({
      power: 'off',
      manner: 'hard',
      status: allows(status, 'powerOff') ? 'stopping' : status,
    }),
  },
  shutDown: {
    definition: shutdownServer,
    wanted: ({ status }) => ({
      power: 'off',
      manner: 'guest',
      status: allows(status, 'shutDown') ? 'stopping' : status,
    }),
  },
  reboot: {
    definition: rebootServer,
    wanted: ({ status }, cycle) => ({ power: 'on', manner: 'guest', cycle, status }),
  },
  reset: {
    definition: resetServer,
    wanted: ({ status }, cycle) => ({ power: 'on', manner: 'hard', cycle, status }),
  },
} satisfies Readonly<Record<string, PowerCommand>>

/** Sets the desired power of a server and starts the action that makes it so. Errors: those of `startPowerChange`. */
export async function changePower(
  { db }: Platform,
  command: keyof typeof powerCommands,
  { scope, params: { id } }: Call['powerOn'],
) {
  const action = await db.transact(async (tx) =>
    startPowerChange(tx, scope, await servers.lock(tx, scope, id), powerCommands[command]),
  )
  return { action: actionToWire(action) }
}

/** Deletes a server, which loses its power first. Errors: `protected`, `locked`. */
export async function remove({ db }: Platform, { scope, params: { id } }: Call['remove']) {
  const action = await db.transact(async (tx) => {
    const server = await servers.lock(tx, scope, id)
    if (server.protection.delete) throw new ApiError('protected', 'server deletion is protected')
    const wanted = () => ({ power: 'off', manner: 'hard', status: 'deleting' }) as const
    return startPowerChange(tx, scope, server, { definition: destroyServer, wanted })
  })
  return { action: actionToWire(action) }
}

/**
 * Changes the desired power of a server that the transaction has locked. Errors: `locked`; `invalid_input` when a server
 * without any network would start.
 */
async function startPowerChange(
  tx: Transaction,
  scope: ProjectScope,
  server: Server,
  { definition, wanted }: PowerCommand,
): Promise<Action> {
  const { id } = server
  await state.renew(tx, scope, [id])
  const action = await startAction(tx, scope, { definition, input: { server: id }, ...onServer(id) })
  const change = wanted(server, action.id)
  if (change.power === 'on' && server.powerInForce === 'off' && !(await isConnected(tx.query, scope, id))) {
    throw withoutNetwork()
  }
  await setPower(tx, scope, id, change)
  return action
}

const startlessText = 'a server without any network cannot be started'

/** The refusal to start a server that has no address, in public or in a network. */
function withoutNetwork(): ApiError {
  return invalidInput([{ field: 'public_net', message: startlessText }], startlessText)
}

// ---- Requests for servers ------------------------------------------------------------------------------------------

/** Longest user data, in characters. */
const maxUserData = 32_768
const userDataTooLong = `Length must be between 0 and ${maxUserData}.`

interface Placement {
  readonly type: ServerType
  readonly location: Location
  readonly image: Template
}

/** Finds type, image and location. Errors: `invalid_input` that names what is unknown or does not fit together. */
async function placeServer(
  { catalogue, clock, db, infrastructureOf }: Platform,
  scope: ProjectScope,
  body: CreateBody,
): Promise<Placement> {
  const now = clock.now()
  const type = byIdOrName(body.server_type, catalogue.serverTypeById, catalogue.serverTypeByName)
  const problems: Problem[] = []
  if (!type) problems.push({ field: 'server_type', message: 'server type not found' })
  const image = await findTemplate(db.query, scope, catalogue, toIdOrName(body.image), type?.architecture)
  if (!image) problems.push({ field: 'image', message: 'image not found' })
  const asked = locationAsked(catalogue, body, now)
  const location = findLocation(catalogue, asked ?? (await placeAsked(db.query, scope, body)), type, now)
  // Without a wish an unknown type has no location either, which is not the location's fault.
  if (!location && (type || asked !== undefined)) problems.push({ field: 'location', message: 'location not found' })
  if (!type || !image || !location) throw invalidInput(problems)
  if (!serverTypeOrderable(type, location.id, now)) throw unsupportedLocation(catalogue, type, now)
  const problem = unfitFor(image, type, now) ?? outOfReach(image, location.id, infrastructureOf)
  if (problem) throw invalidInput([{ field: 'image', message: problem }])
  return { type, location, image }
}

/** Until July 2026 a datacenter could be named instead of a location. Errors: `invalid_input` since then. */
function locationAsked(catalogue: Catalogue, body: CreateBody, now: number): number | string | undefined {
  const { datacenter, location } = body
  if (datacenter === undefined) return location
  const problem = { field: 'datacenter', message: 'unknown field' }
  if (inEffect(serverChanges.server_datacenter_removed, now)) {
    throw invalidInput([problem], "invalid input: unknown field name 'datacenter'")
  }
  if (location !== undefined) throw invalidInput([{ field: 'datacenter', message: 'excludes location' }])
  const found = locationOfDatacenter(catalogue.locations, toIdOrName(datacenter))
  if (!found) throw invalidInput([{ field: 'datacenter', message: 'datacenter not found' }])
  return found.id
}

/** Finds where something is already that the request names. */
async function placeAsked(query: Queries, scope: ProjectScope, body: CreateBody): Promise<number | undefined> {
  for (const { placeOf } of attachments) {
    const place = await placeOf?.(query, scope, body)
    if (place !== undefined) return place
  }
  return undefined
}

/** Without a wish: the first location that recommends the type, else the first that offers it. */
function findLocation(
  catalogue: Catalogue,
  value: number | string | undefined,
  type: ServerType | undefined,
  now: number,
): Location | undefined {
  if (value !== undefined) return byIdOrName(value, catalogue.locationById, catalogue.locationByName)
  const offered = type ? locationsOffering(type, now) : []
  const chosen = offered.find((place) => place.recommended && place.available) ?? offered[0] ?? type?.locations[0]
  return chosen && catalogue.locationById(chosen.id)
}

function locationsOffering(type: ServerType, now: number): ServerType['locations'] {
  return type.locations.filter(({ id }) => serverTypeOrderable(type, id, now))
}

/** Says where the type can be ordered instead, in the message itself: command lines show no details. */
function unsupportedLocation(catalogue: Catalogue, type: ServerType, now: number): ApiError {
  const names = locationsOffering(type, now).map(({ id }) => catalogue.locationById(id)?.name)
  const where = names.length > 0 ? `is available in ${names.join(', ')}` : 'is no longer available in any location'
  const message = `unsupported location for server type: ${type.name} ${where}`
  return invalidInput([{ field: 'location', message }], message)
}

/** Keeps an image of the Project from being deleted until the transaction ends. Errors: `invalid_input` when it is gone. */
export async function holdTemplate(tx: Transaction, scope: ProjectScope, image: Template): Promise<void> {
  if (image.isOwn && !(await images.hold(tx, scope, [image.id])).has(image.id)) {
    throw invalidInput([{ field: 'image', message: 'image not found' }])
  }
}

/** Errors: `invalid_input` for user data that is too long. */
export function checkUserData(userData = ''): void {
  if (userData.length > maxUserData) throw invalidInput([{ field: 'user_data', message: userDataTooLong }])
}

/** Errors: `invalid_input` for what the shape of the body alone cannot tell. */
function checkRequest(body: CreateBody): void {
  const problems: Problem[] = []
  const refuse = (field: string, message: string) => problems.push({ field, message })
  const { networks = [], public_net: net = {}, user_data: userData = '' } = body
  if (!isHostName(body.name)) refuse('name', 'Name must be a valid hostname.')
  if (userData.length > maxUserData) refuse('user_data', userDataTooLong)
  for (const family of ['ipv4', 'ipv6'] as const) {
    if (net[family] && net[`enable_${family}`] === false)
      refuse(`public_net.${family}`, `excludes enable_${family}: false`)
  }
  if (!hasPublicNet(body)) {
    if (networks.length === 0 && body.start_after_create !== false) refuse('public_net', startlessText)
    if (body.firewalls?.length) refuse('firewalls', 'the server has no public network interface')
  }
  if (problems.length > 0) throw invalidInput(problems)
}

function hasPublicNet({ public_net: { enable_ipv4 = true, enable_ipv6 = true } = {} }: CreateBody): boolean {
  return enable_ipv4 || enable_ipv6
}

/** The public keys that the request names. Errors: `invalid_input` for an unknown one. */
export async function requestedKeys(
  query: Queries,
  scope: ProjectScope,
  { ssh_keys: asked = [] }: Pick<CreateBody, 'ssh_keys'>,
): Promise<string[]> {
  const wanted = asked.map(toIdOrName)
  const found = await sshKeysNamed(query, scope, {
    ids: wanted.flatMap((key) => ('id' in key ? [key.id] : [])),
    names: wanted.flatMap((key) => ('name' in key ? [key.name] : [])),
  })
  const keys = wanted.map((key) => found.find((one) => ('id' in key ? one.id === key.id : one.name === key.name)))
  const missing = keys.indexOf(undefined)
  if (missing !== -1) throw invalidInput([{ field: `ssh_keys[${missing}]`, message: 'SSH key not found' }])
  return [...new Set(keys.map((key) => key!.publicKey))]
}
