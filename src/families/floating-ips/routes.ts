/** Floating IPs through the API. */

import { actionToWire } from '../../kernel/actions/routes.ts'
import { recordOf, startAction } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import { type Handlers, toIdOrName } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { act, adding, removing } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { withReverseName } from '../addresses/reverse-names.ts'
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

/** One handler for each endpoint. */
export function floatingIpRoutes(platform: Platform): Handlers<typeof floatingIpEndpoints> {
  const { clock, catalogue, defaultNames } = platform
  const toWire = (floatingIp: FloatingIp) => floatingIpToWire(platform, floatingIp)

  return {
    ...resourceRoutes(platform, floatingIps, (some) => some.map(toWire)),

    create({ scope, body: { type, name, description, labels = {}, server, home_location: home } }) {
      return adding(platform, floatingIps, scope, async (tx) => {
        const place = await findPlace(tx, scope, server ?? undefined, home ?? undefined)
        const given = { type, name: name ?? null, description: description ?? null, labels, ...place }
        const floatingIp = await insertFloatingIp(tx, scope, given, defaultNames)
        const { id, serverId } = floatingIp
        if (serverId === null) return { floating_ip: toWire(floatingIp), action: null }
        await routing.renew(tx, scope, [serverId])
        const action = await startAction(tx, scope, startMove(createFloatingIp, { id, from: null, to: serverId }))
        return { floating_ip: toWire(floatingIp), action: actionToWire(action) }
      })
    },

    remove: (call) =>
      removing(platform, floatingIps, call, async (tx, floatingIp) => {
        const { scope } = call
        if (floatingIp.serverId !== null) await leaveBeforeDeletion(tx, scope, floatingIp)
        await releaseAddress(tx, scope, floatingIp.ip)
      }),

    assign: (call) => {
      const { scope, body } = call
      const to = body.server
      const hold = (tx: Transaction) => holdServers(tx, scope, [to])
      const move = async (tx: Transaction, { id, serverId: from }: FloatingIp, known: ReadonlySet<number>) => {
        if (!known.has(to)) throw notFound('server', to)
        if (from === to) {
          throw new ApiError('floating_ip_assigned', 'the floating IP is assigned to this server already')
        }
        await floatingIps.set(tx, scope, id, { server_id: to })
        await routing.renew(tx, scope, from === null ? [to] : [from, to])
        return startMove(assignFloatingIp, { id, from, to })
      }
      return act(platform, floatingIps, call, move, hold)
    },

    unassign: (call) =>
      act(platform, floatingIps, call, async (tx, { id, serverId: from }) => {
        if (from === null) throw new ApiError('service_error', 'the floating IP is not assigned')
        await leaveServer(tx, call.scope, id, from)
        return startMove(unassignFloatingIp, { id, from, to: null })
      }),

    changeDnsPtr: (call) =>
      act(platform, floatingIps, call, async (tx, floatingIp) => {
        const names = withReverseName(floatingIp, call.body, { defaults: defaultNames, nowMs: tx.now })
        await setReverseNames(tx, call.scope, floatingIp, names)
        return recordOf(changeFloatingIpDnsPtr, floatingIps.ref(floatingIp.id))
      }),

    changeProtection: (call) =>
      act(platform, floatingIps, call, async (tx, { id, isProtected }) => {
        const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
        await floatingIps.set(tx, call.scope, id, { protect_delete })
        return recordOf(changeFloatingIpProtection, floatingIps.ref(id))
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

  /** Before May 2026 an assigned one was unassigned on the way (spec: Floating IPs). */
  async function leaveBeforeDeletion(
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
}

async function leaveServer(tx: Transaction, scope: ProjectScope, id: number, serverId: number): Promise<void> {
  await floatingIps.set(tx, scope, id, { server_id: null })
  await routing.renew(tx, scope, [serverId])
}
