/** Servers in networks, through the API. */
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { refuseLocked, startAction } from '../../../kernel/actions/store.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Handlers } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, invalidInput, notFound } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { holdServers, serversByIds } from '../../servers/reads.ts'
import { networkChanges } from '../changes.ts'
import type { Network } from '../domain.ts'
import { networks } from '../store.ts'
import { attachToNetwork, changeAliasIps, detachFromNetwork, startMember } from './actions.ts'
import { join } from './attach.ts'
import type { memberEndpoints } from './contract.ts'
import { interfaces } from './desired.ts'
import { chooseAliases, type Member, takenBy } from './domain.ts'
import { membersOf, setMember } from './store.ts'

interface Call {
  readonly scope: ProjectScope
  readonly params: { readonly id: number }
  readonly body: { readonly network: number }
}

interface Place {
  readonly network: Network
  readonly server: { readonly id: number; readonly locationId: number }
}

/** One handler for each endpoint. */
export function memberRoutes(platform: Platform): Handlers<typeof memberEndpoints> {
  const { db, clock } = platform

  /** Does `work` with a network and a server that nobody else changes meanwhile, and starts the action. */
  async function change(
    definition: typeof attachToNetwork,
    { scope, params: { id }, body }: Call,
    work: (tx: Transaction, place: Place) => Promise<void>,
  ) {
    const action = await db.transact(async (tx) => {
      const [server] = await serversByIds(tx.query, scope, [id])
      if (!server) throw notFound('server', id)
      const network = await networks.lock(tx, scope, body.network)
      if (!(await holdServers(tx, scope, [id], 'update')).has(id)) throw notFound('server', id)
      await refuseLocked(tx.query, scope, { type: 'server', id })
      await work(tx, { network, server })
      await interfaces.renew(tx, scope, [id])
      return startAction(tx, scope, startMember(definition, { server: id, network: network.id }, true))
    })
    return { action: actionToWire(action) }
  }

  return {
    attachToNetwork: (call) =>
      change(attachToNetwork, call, async (tx, { network, server }) => {
        const { ip, ip_range: ipRange, alias_ips: aliasIps } = call.body
        if (ipRange !== undefined && !inEffect(networkChanges.attach_ip_range, clock.now())) {
          throw invalidInput([{ field: 'ip_range', message: 'unknown field' }])
        }
        await join(tx, call.scope, platform, network, server, { ip, ipRange, aliasIps })
      }),

    detachFromNetwork: (call) =>
      change(detachFromNetwork, call, async (tx, place) => {
        const member = attachedMember(await membersOf(tx.query, call.scope, [place.network.id]), place)
        await setMember(tx, call.scope, member, { status: 'detaching' })
      }),

    changeAliasIps: (call) =>
      change(changeAliasIps, call, async (tx, place) => {
        const members = await membersOf(tx.query, call.scope, [place.network.id])
        const member = attachedMember(members, place)
        const others = takenBy(members.filter((other) => other !== member))
        const texts = call.body.alias_ips
        const aliasIps = chooseAliases(place.network, member.ip, new Set([...others, member.ip]), texts)
        await setMember(tx, call.scope, member, { aliasIps, formerAliasIps: member.aliasIps, status: 'updating' })
      }),
  }
}

/** Errors: `service_error`. */
function attachedMember(members: readonly Member[], { server }: Place): Member {
  const member = members.find(({ serverId }) => serverId === server.id)
  if (!member) throw new ApiError('service_error', 'the server is not attached to this network')
  return member
}
