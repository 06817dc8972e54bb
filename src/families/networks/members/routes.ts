/** Members of networks, through the API. */
import type { Static } from 'typebox'
import { actionToWire } from '../../../kernel/actions/routes.ts'
import { refuseLocked, startAction } from '../../../kernel/actions/store.ts'
import type { Handlers, QueryOf } from '../../../kernel/contract/contract.ts'
import type { Transaction } from '../../../kernel/data/db.ts'
import { ApiError, notFound } from '../../../kernel/errors.ts'
import { pageOf } from '../../../kernel/resource/listing.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Platform } from '../../../platform.ts'
import { holdServers, serversByIds } from '../../servers/reads.ts'
import { type Network, toNumber } from '../domain.ts'
import { networks } from '../store.ts'
import { attachToNetwork, changeAliasIps, detachFromNetwork, startMember } from './actions.ts'
import { checkRangeAsked, join } from './attach.ts'
import { membersOf, occupancyOf } from './attachments.ts'
import type { memberEndpoints, NetworkMember } from './contract.ts'
import { interfaces } from './desired.ts'
import { chooseAliases, type ServerPlace } from './domain.ts'
import { placesOf, setMember } from './store.ts'
import { membersToWire } from './view.ts'

interface Call {
  readonly scope: ProjectScope
  readonly params: { readonly id: number }
  readonly body: { readonly network: number }
}

/** A network and a server that nobody else changes meanwhile. */
interface Pair {
  readonly network: Network
  readonly server: { readonly id: number; readonly locationId: number }
}

/** One handler for each endpoint. */
export function memberRoutes(platform: Platform): Handlers<typeof memberEndpoints> {
  const { db, clock } = platform

  /** Does `work` with a network and a server, and starts the action. */
  async function change(
    definition: typeof attachToNetwork,
    { scope, params: { id }, body }: Call,
    work: (tx: Transaction, pair: Pair) => Promise<void>,
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
    async listMembers({ scope, params: { id }, query }) {
      const members = await membersOf(db.query, scope, [id])
      // Read after its members: one whose subnet is not there any more has left meanwhile.
      const network = await networks.get(db.query, scope, id)
      const asked = membersToWire(network, members).filter((member) => isAsked(member, query))
      const numbers = new Map(asked.map(({ ip }) => [ip, toNumber(ip)]))
      const { rows, pagination } = pageOf(asked, query, (member, field) => {
        return field === 'ip' ? numbers.get(member.ip)! : member[field as 'id' | 'type' | 'status']
      })
      return { members: rows, meta: { pagination } }
    },

    attachToNetwork: (call) =>
      change(attachToNetwork, call, async (tx, { network, server }) => {
        const { ip, ip_range: ipRange, alias_ips: aliasIps } = call.body
        checkRangeAsked(ipRange, clock.now())
        await join(tx, call.scope, platform, network, server, { ip, ipRange, aliasIps })
      }),

    detachFromNetwork: (call) =>
      change(detachFromNetwork, call, async (tx, pair) => {
        const place = await placeOf(tx, call.scope, pair)
        await setMember(tx, call.scope, place, { status: 'detaching' })
      }),

    changeAliasIps: (call) =>
      change(changeAliasIps, call, async (tx, { network, server }) => {
        const place = await placeOf(tx, call.scope, { network, server })
        const { addresses } = await occupancyOf(tx, call.scope, network.id)
        const others = new Set([...addresses].filter((address) => !place.aliasIps.includes(address)))
        const aliasIps = chooseAliases(network, place.ip, others, call.body.alias_ips)
        await setMember(tx, call.scope, place, { aliasIps, formerAliasIps: place.aliasIps, status: 'updating' })
      }),
  }
}

/** Errors: `service_error`. */
async function placeOf(tx: Transaction, scope: ProjectScope, { network, server }: Pair): Promise<ServerPlace> {
  const place = (await placesOf(tx.query, scope, [server.id])).find(({ networkId }) => networkId === network.id)
  if (!place) throw new ApiError('service_error', 'the server is not attached to this network')
  return place
}

/** Whether a request asks for a member. */
function isAsked(
  member: Static<typeof NetworkMember>,
  { type, status, subnet }: QueryOf<typeof memberEndpoints.listMembers>,
): boolean {
  return (
    (type?.includes(member.type) ?? true) &&
    (status?.includes(member.status) ?? true) &&
    (subnet?.includes(member.subnet) ?? true)
  )
}
