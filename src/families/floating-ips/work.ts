/** Floating IPs are made, assigned, named and deleted on request. */
import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { byIdOrName, type Calls } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../../kernel/errors.ts'
import { act, adding, removing } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { withReverseName } from '../addresses/domain.ts'
import { releaseAddress } from '../addresses/store.ts'
import { holdServers, serversByIds } from '../servers/reads.ts'
import {
  assignFloatingIp,
  changeFloatingIpDnsPtr,
  changeFloatingIpProtection,
  createFloatingIp,
  startMove,
  unassignFloatingIp,
} from './actions.ts'
import { floatingIpChanges } from './changes.ts'
import type { floatingIpEndpoints } from './contract.ts'
import { routing } from './desired.ts'
import type { FloatingIp } from './domain.ts'
import { floatingIps, insertFloatingIp, setReverseNames } from './store.ts'
import { floatingIpToWire } from './view.ts'

type Call = Calls<typeof floatingIpEndpoints>

/** Makes a Floating IP. Errors: those that the contract declares. */
export function create(platform: Platform, { scope, body }: Call['create']) {
  const { type, name, description, labels = {}, server, home_location: home } = body
  return adding(platform, floatingIps, scope, async (tx) => {
    const place = await findPlace(platform, tx, scope, server ?? undefined, home ?? undefined)
    const given = { type, name: name ?? null, description: description ?? null, labels, ...place }
    const floatingIp = await insertFloatingIp(tx, scope, given, platform.defaultNames)
    const { id, serverId } = floatingIp
    const action = serverId === null ? null : await lead(tx, scope, id, serverId)
    return { added: floatingIp, reply: { floating_ip: floatingIpToWire(platform, floatingIp), action } }
  })
}

/** Starts to lead a new Floating IP to a server. */
async function lead(tx: Transaction, scope: ProjectScope, id: number, to: number) {
  await routing.renew(tx, scope, [to])
  return actionToWire(await startAction(tx, scope, startMove(createFloatingIp, { id, from: null, to })))
}

/** Exactly one of both says where it is at home; a server brings its own location. */
async function findPlace(
  { catalogue }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  server: number | undefined,
  home: string | number | undefined,
): Promise<{ homeLocationId: number; serverId: number | null }> {
  const refuse = (message: string) =>
    invalidInput([
      { field: 'server', message },
      { field: 'home_location', message },
    ])
  if ((server === undefined) === (home === undefined))
    throw refuse('exactly one of server and home_location is required')
  if (server !== undefined) {
    await holdServers(tx, scope, [server])
    const [found] = await serversByIds(tx.query, scope, [server])
    if (!found) throw refuse('server not found')
    return { homeLocationId: found.locationId, serverId: found.id }
  }
  const location = byIdOrName(home as string | number, catalogue.locationById, catalogue.locationByName)
  if (!location) throw refuse('location not found')
  return { homeLocationId: location.id, serverId: null }
}

/** Deletes a Floating IP. Errors: those that the contract declares. */
export const remove = (platform: Platform, call: Call['remove']) =>
  removing(platform, floatingIps, call, async (tx, floatingIp) => {
    const { scope } = call
    if (floatingIp.serverId !== null) await leaveBeforeDeletion(platform, tx, scope, floatingIp)
    await releaseAddress(tx, scope, floatingIp.ip)
  })

/** Before May 2026 an assigned one was unassigned on the way (spec: Floating IPs). */
async function leaveBeforeDeletion(
  { clock }: Platform,
  tx: Transaction,
  scope: ProjectScope,
  { id, serverId }: FloatingIp,
): Promise<void> {
  if (inEffect(floatingIpChanges.floating_ip_delete_needs_unassign, clock.now())) {
    throw new ApiError(
      'must_be_unassigned',
      `the floating IP must be unassigned before it is deleted: it leads to server with ID '${serverId}'`,
    )
  }
  await leaveServer(tx, scope, id, serverId as number)
  await startAction(tx, scope, startMove(unassignFloatingIp, { id, from: serverId, to: null }))
}

/** Lets a Floating IP lead to a server, or to another one. Errors: `not_found`, `floating_ip_assigned`, `locked`. */
export function assign(platform: Platform, call: Call['assign']) {
  const { scope, body } = call
  const to = body.server
  const hold = (tx: Transaction) => holdServers(tx, scope, [to])
  const move = async (tx: Transaction, { id, serverId: from }: FloatingIp, known: ReadonlySet<number>) => {
    if (!known.has(to)) throw notFound('server', to)
    if (from === to) throw new ApiError('floating_ip_assigned', 'the floating IP is assigned to this server already')
    await floatingIps.set(tx, scope, id, { server_id: to })
    await routing.renew(tx, scope, from === null ? [to] : [from, to])
    return startMove(assignFloatingIp, { id, from, to })
  }
  return act(platform, floatingIps, call, move, hold)
}

/** Lets a Floating IP lead nowhere. Errors: `service_error`, `locked`. */
export const unassign = (platform: Platform, call: Call['unassign']) =>
  act(platform, floatingIps, call, async (tx, { id, serverId: from }) => {
    if (from === null) throw new ApiError('service_error', 'the floating IP is not assigned')
    await leaveServer(tx, call.scope, id, from)
    return startMove(unassignFloatingIp, { id, from, to: null })
  })

async function leaveServer(tx: Transaction, scope: ProjectScope, id: number, serverId: number): Promise<void> {
  await floatingIps.set(tx, scope, id, { server_id: null })
  await routing.renew(tx, scope, [serverId])
}

/** Gives an address a reverse name, or its default one. Errors: `invalid_input`. */
export const rename = (platform: Platform, call: Call['changeDnsPtr']) =>
  act(platform, floatingIps, call, async (tx, floatingIp) => {
    const names = withReverseName(floatingIp, call.body, { defaults: platform.defaultNames, nowMs: tx.now })
    await setReverseNames(tx, call.scope, floatingIp, names)
    return recordOf(changeFloatingIpDnsPtr, floatingIps.ref(floatingIp.id))
  })

/** Protects a Floating IP from deletion, or no longer. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, floatingIps, call, async (tx, { id, isProtected }) => {
    const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
    await floatingIps.set(tx, call.scope, id, { protect_delete })
    return recordOf(changeFloatingIpProtection, floatingIps.ref(id))
  })
