/** Networks through the API. */
import { needCapability } from '../../catalogue/capabilities.ts'
import { recordOf, refuseLocked, startActions } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { act, adding, conflicting } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import {
  addRoute,
  addSubnet,
  changeIpRange,
  changeNetworkProtection,
  deleteRoute,
  deleteSubnet,
  startTopology,
} from './actions.ts'
import { networkChanges } from './changes.ts'
import type { networkEndpoints } from './contract.ts'
import { state } from './desired.ts'
import {
  extended,
  mostRoutes,
  mostSubnets,
  type Network,
  overlap,
  readNetworkRange,
  type Subnet,
  type SubnetRules,
  subnetFinder,
  type Topology,
  withoutRoute,
  withoutSubnet,
  withRoute,
  withSubnet,
} from './domain.ts'
import { leaveNetwork, memberKinds, membersOf } from './members/attachments.ts'
import { coupleVswitches, insertNetwork, keepVswitches, networks, setTopology } from './store.ts'
import { networksToWire, networkToWire } from './view.ts'

/** One handler for each endpoint. */
export function networkRoutes(platform: Platform): Handlers<typeof networkEndpoints> {
  const { db, clock, catalogue, capabilities } = platform
  const resource = resourceRoutes(platform, networks, (some, query, { scope }) => networksToWire(query, scope, some), {
    async after(tx, scope, { id }, { expose_routes_to_vswitch: exposure }) {
      if (exposure !== undefined) await state.renew(tx, scope, [id])
    },
  })

  /** Changes what a network consists of and starts the action that makes it so. */
  const change =
    <Body>(definition: typeof addSubnet, changed: (network: Network, body: Body) => Topology) =>
    (call: { scope: ProjectScope; params: { id: number }; body: Body }) =>
      conflicting(networks, () =>
        act(platform, networks, call, async (tx, network) => {
          const { scope } = call
          const wanted = changed(network, call.body)
          await refuseStranding(tx, scope, network.id, wanted)
          await refuseMeeting(tx, scope, network, wanted)
          await coupleVswitches(tx, scope, network.id, added(network, wanted))
          await setTopology(tx, scope, network, wanted)
          await state.renew(tx, scope, [network.id])
          return startTopology(definition, network.id)
        }),
      )

  const rules = (): SubnetRules => ({
    zones: new Set(catalogue.locations.map(({ networkZone }) => networkZone)),
    allowsServerType: !inEffect(networkChanges.server_subnets_removed, clock.now()),
    vswitchIsSmaller: inEffect(networkChanges.vswitch_subnet_smaller, clock.now()),
  })

  /** Errors: `unsupported_error` for a network zone none of whose locations has vSwitches. */
  const needVswitches = ({ networkZone, vswitchId }: Subnet) => {
    if (vswitchId === null) return
    const ofZone = catalogue.locations
      .filter((location) => location.networkZone === networkZone)
      .map(({ id }) => capabilities(id))
    needCapability(ofZone.find(({ vswitches }) => vswitches) ?? ofZone[0]!, 'vswitches')
  }

  /**
   * Asked of new subnets only: one that a network has already must not stop others from being added. Errors:
   * `service_error` for a vSwitch that the operator does not offer, and those of `needVswitches`.
   */
  const checkVswitches = (subnets: readonly Subnet[]) => {
    subnets.forEach(needVswitches)
    const isUnknown = ({ vswitchId }: Subnet) => vswitchId !== null && !catalogue.hasVswitch(vswitchId)
    if (subnets.some(isUnknown)) throw new ApiError('service_error', 'vswitch not found')
  }

  return {
    ...resource,

    create({ scope, body }) {
      const { name, labels = {}, expose_routes_to_vswitch: exposesRoutes = false, subnets = [], routes = [] } = body
      let topology: Topology = { ipRange: readNetworkRange(body.ip_range), subnets: [], routes: [] }
      for (const [index, asked] of subnets.entries()) {
        topology = withSubnet(topology, asked, rules(), `subnets[${index}].`)
      }
      for (const [index, asked] of routes.entries()) topology = withRoute(topology, asked, `routes[${index}].`)
      checkVswitches(topology.subnets)
      return adding(platform, networks, scope, async (tx) => {
        const network = await insertNetwork(tx, scope, { name, labels, exposesRoutes, ...topology })
        await coupleVswitches(tx, scope, network.id, network.subnets)
        await state.renew(tx, scope, [network.id])
        return { network: networkToWire(network, []) }
      })
    },

    update({ body: { expose_routes_to_vswitch: exposes, ...body }, ...call }) {
      const column = exposes === undefined ? {} : { expose_routes_to_vswitch: exposes ? (1 as const) : (0 as const) }
      return resource.update({ ...call, body: { ...body, ...column } })
    },

    remove: ({ scope, params: { id } }) =>
      conflicting(networks, () =>
        db.transact(async (tx) => {
          const network = await networks.lock(tx, scope, id)
          if (network.isProtected) throw new ApiError('protected', 'network is delete protected')
          await refuseLocked(tx.query, scope, networks.ref(id))
          const starts = await leaveNetwork(tx, scope, id)
          await keepVswitches(tx, scope, id, [])
          await state.renew(tx, scope, [id])
          await networks.remove(tx, scope, network)
          await startActions(tx, scope, starts)
        }),
      ),

    addSubnet: change(addSubnet, (network, body) => {
      refuseMore('subnets', network.subnets.length, mostSubnets)
      const wanted = withSubnet(network, body, rules())
      checkVswitches(added(network, wanted))
      return wanted
    }),
    deleteSubnet: change(deleteSubnet, (network, body) => withoutSubnet(network, body.ip_range)),
    addRoute: change(addRoute, (network, body) => {
      refuseMore('routes', network.routes.length, mostRoutes)
      return withRoute(network, body)
    }),
    deleteRoute: change(deleteRoute, (network, body) => {
      const changed = withoutRoute(network, body)
      if (!changed) throw new ApiError('not_found', 'the network has no such route')
      return changed
    }),
    changeIpRange: change(changeIpRange, (network, body) => extended(network, body.ip_range)),

    changeProtection: (call) =>
      act(platform, networks, call, async (tx, { id, isProtected }) => {
        const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
        await networks.set(tx, call.scope, id, { protect_delete })
        return recordOf(changeNetworkProtection, networks.ref(id))
      }),
  }
}

/** Errors: `service_error` when a subnet that goes away holds addresses of members. */
async function refuseStranding(tx: Transaction, scope: ProjectScope, id: number, { subnets }: Topology): Promise<void> {
  const members = await membersOf(tx.query, scope, [id])
  const subnetOf = subnetFinder(subnets)
  const stranded = members.filter(({ ip }) => !subnetOf(ip))
  if (stranded.length === 0) return
  const who = stranded.some(({ type }) => type === 'server') ? 'servers' : 'Load Balancers'
  throw new ApiError('service_error', `cannot delete the subnet: ${who} are attached to it`)
}

/** Errors: `invalid_input` when a longer range meets another network of somebody in this one. */
async function refuseMeeting(
  tx: Transaction,
  scope: ProjectScope,
  { id, ipRange: before }: Network,
  { ipRange }: Topology,
): Promise<void> {
  if (ipRange === before) return
  const others = (await Promise.all(memberKinds.map(({ othersOf }) => othersOf(tx, scope, id)))).flat()
  const rival = (await networks.byIds(tx.query, scope, [...new Set(others)])).find((other) =>
    overlap(other.ipRange, ipRange),
  )
  if (!rival) return
  const message = `overlaps with network with ID '${rival.id}', in which servers of this network are`
  throw invalidInput([{ field: 'ip_range', message }])
}

const added = (before: Topology, after: Topology) => after.subnets.filter((subnet) => !before.subnets.includes(subnet))

/** Errors: `resource_limit_exceeded`. */
function refuseMore(what: string, used: number, most: number): void {
  if (used < most) return
  const details = { limits: [{ name: `network_${what}` }] }
  throw new ApiError('resource_limit_exceeded', `a network can have at most ${most} ${what}`, { details })
}
