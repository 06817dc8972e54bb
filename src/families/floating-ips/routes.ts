/** Floating IPs through the API. */
import { actionToWire } from '../../kernel/actions/routes.ts'
import { type ActionStart, refuseLocked, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { type Handlers, toIdOrName } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import { beforeWrite, optimistically } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { withReverseName } from '../addresses/reverse-names.ts'
import { holdServers, serversByIds } from '../servers/reads.ts'
import {
  assignFloatingIp,
  changeFloatingIpDnsPtr,
  changeFloatingIpProtection,
  createFloatingIp,
  startMove,
  unassignFloatingIp,
} from './actions.ts'
import type { floatingIpEndpoints } from './contract.ts'
import type { FloatingIp } from './domain.ts'
import {
  deleteFloatingIp,
  getFloatingIp,
  insertFloatingIp,
  limitedFloatingIps,
  listFloatingIps,
  lockFloatingIp,
  renewRouting,
  setProtection,
  setReverseNames,
  updateFloatingIp,
  wantServer,
} from './store.ts'
import { floatingIpToWire } from './view.ts'

/** One handler for each endpoint. */
export function floatingIpRoutes(platform: Platform): Handlers<typeof floatingIpEndpoints> {
  const { db, clock, catalogue, faults, limits, reverseDomain } = platform

  /**
   * Changes a Floating IP that nobody else can change meanwhile, and starts what follows from it. Those of `serverIds` that
   * are there stay until then.
   */
  const change = async (
    scope: ProjectScope,
    id: number,
    serverIds: readonly number[],
    work: (tx: Transaction, floatingIp: FloatingIp, servers: ReadonlySet<number>) => Promise<ActionStart>,
  ) => {
    const action = await db.transact(async (tx) => {
      const servers = await holdServers(tx, scope, serverIds)
      const floatingIp = await lockFloatingIp(tx, scope, id)
      return startAction(tx, scope, await work(tx, floatingIp, servers))
    })
    return { action: actionToWire(action) }
  }

  return {
    async list({ scope, query }) {
      const { floatingIps, pagination } = await listFloatingIps(db.query, scope, query)
      return { floating_ips: floatingIps.map((one) => floatingIpToWire(platform, one)), meta: { pagination } }
    },

    async create({ scope, body: { type, name, description, labels = {}, server, home_location: home } }) {
      return db.transact(async (tx) => {
        await enforceLimit(tx, scope, limitedFloatingIps, limits)
        const place = await findPlace(tx, scope, server ?? undefined, home ?? undefined)
        const given = { type, name: name ?? null, description: description ?? null, labels, ...place }
        const floatingIp = await insertFloatingIp(tx, scope, given, reverseDomain)
        const { id, serverId } = floatingIp
        const wire = floatingIpToWire(platform, floatingIp)
        if (serverId === null) return { floating_ip: wire, action: null }
        await renewRouting(tx, scope, [serverId])
        const action = await startAction(tx, scope, startMove(createFloatingIp, { id, from: null, to: serverId }))
        return { floating_ip: wire, action: actionToWire(action) }
      })
    },

    async get({ scope, params }) {
      return { floating_ip: floatingIpToWire(platform, await getFloatingIp(db.query, scope, params.id)) }
    },

    async update({ scope, params, body }) {
      const floatingIp = await optimistically(async () => {
        const before = await getFloatingIp(db.query, scope, params.id)
        await beforeWrite(faults, 'floating_ip')
        const { name = before.name, description = before.description, labels = before.labels } = body
        return db.transact((tx) => updateFloatingIp(tx, scope, before, { name, description, labels }))
      })
      return { floating_ip: floatingIpToWire(platform, floatingIp) }
    },

    remove: ({ scope, params: { id } }) =>
      db.transact(async (tx) => {
        const floatingIp = await lockFloatingIp(tx, scope, id)
        if (floatingIp.isProtected) throw new ApiError('protected', 'Floating IP deletion is protected')
        await refuseLocked(tx.query, scope, { type: 'floating_ip', id })
        if (floatingIp.serverId !== null) await leaveBeforeDeletion(tx, scope, floatingIp)
        await deleteFloatingIp(tx, scope, floatingIp)
      }),

    assign: ({ scope, params: { id }, body: { server: to } }) =>
      change(scope, id, [to], async (tx, { serverId: from }, known) => {
        if (!known.has(to)) throw notFound('server', to)
        if (from === to)
          throw new ApiError('floating_ip_assigned', 'the floating IP is assigned to this server already')
        await wantServer(tx, scope, id, to)
        await renewRouting(tx, scope, from === null ? [to] : [from, to])
        return startMove(assignFloatingIp, { id, from, to })
      }),

    unassign: ({ scope, params: { id } }) =>
      change(scope, id, [], async (tx, { serverId: from }) => {
        if (from === null) throw new ApiError('service_error', 'the floating IP is not assigned')
        await wantServer(tx, scope, id, null)
        await renewRouting(tx, scope, [from])
        return startMove(unassignFloatingIp, { id, from, to: null })
      }),

    changeDnsPtr: ({ scope, params: { id }, body: { ip, dns_ptr: name } }) =>
      change(scope, id, [], async (tx, floatingIp) => {
        if (name === undefined && inEffect('dns_ptr_required', clock.now())) {
          throw invalidInput([{ field: 'dns_ptr', message: 'is required' }])
        }
        await setReverseNames(
          tx,
          scope,
          floatingIp,
          withReverseName(floatingIp, { ip, name: name ?? null }, { domain: reverseDomain, nowMs: tx.now }),
        )
        return { definition: changeFloatingIpDnsPtr, input: {}, resources: [{ type: 'floating_ip', id }] }
      }),

    changeProtection: ({ scope, params: { id }, body }) =>
      change(scope, id, [], async (tx, floatingIp) => {
        await setProtection(tx, scope, id, body.delete ?? floatingIp.isProtected)
        return { definition: changeFloatingIpProtection, input: {}, resources: [{ type: 'floating_ip', id }] }
      }),
  }

  /** Exactly one of both says where it is at home; a server brings its own location. */
  async function findPlace(
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
    const key = toIdOrName(home as string | number)
    const location = 'id' in key ? catalogue.locationById(key.id) : catalogue.locationByName(key.name)
    if (!location) throw refuse('location not found')
    return { homeLocationId: location.id, serverId: null }
  }

  /** Before May 2026 an assigned one was unassigned on the way (spec: Floating IPs, DELETE). */
  async function leaveBeforeDeletion(
    tx: Transaction,
    scope: ProjectScope,
    { id, serverId }: FloatingIp,
  ): Promise<void> {
    if (inEffect('floating_ip_delete_needs_unassign', clock.now())) {
      throw new ApiError(
        'must_be_unassigned',
        `the floating IP must be unassigned before it is deleted: it leads to server with ID '${serverId}'`,
      )
    }
    await wantServer(tx, scope, id, null)
    await renewRouting(tx, scope, [serverId as number])
    await startAction(tx, scope, startMove(unassignFloatingIp, { id, from: serverId, to: null }))
  }
}
