/** Networks are made, changed and deleted on request. */
import { needCapability } from '../../catalogue/capabilities.ts'
import { recordOf, refuseLocked, startActions } from '../../kernel/actions/store.ts'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Calls } from '../../kernel/contract/contract.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import { ApiError, invalidInput, limitExceeded } from '../../kernel/errors.ts'
import { act, adding, conflicting, type OnOne } from '../../kernel/resource/work.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { numberOfIpv4 } from '../../protocols/net/ip.ts'
import * as actions from './actions.ts'
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
import { networkToWire } from './view.ts'

type Call = Calls<typeof networkEndpoints>

// ---- Networks themselves -------------------------------------------------------------------------------------------

/** Makes a network. Errors: those that the contract declares. */
export function create(platform: Platform, { scope, body }: Call['create']) {
  const { name, labels = {}, expose_routes_to_vswitch: exposesRoutes = false } = body
  const topology = readTopology(platform, body)
  return adding(platform, networks, scope, async (tx) => {
    const network = await insertNetwork(tx, scope, { name, labels, exposesRoutes, ...topology })
    await coupleVswitches(tx, scope, network.id, network.subnets)
    await state.renew(tx, scope, [network.id])
    return { added: network, reply: { network: networkToWire(network, { server: [], load_balancer: [] }) } }
  })
}

/** Errors: `invalid_input`; those of `checkVswitches`. */
function readTopology(platform: Platform, { ip_range, subnets = [], routes = [] }: Call['create']['body']): Topology {
  let topology: Topology = { ipRange: readNetworkRange(ip_range), subnets: [], routes: [] }
  for (const [index, asked] of subnets.entries()) {
    topology = withSubnet(topology, asked, rulesOf(platform), `subnets[${index}].`)
  }
  for (const [index, asked] of routes.entries()) topology = withRoute(topology, asked, `routes[${index}].`)
  checkVswitches(platform, topology.subnets)
  return topology
}

/** Lets the infrastructure follow what a network shows to its vSwitches. */
export async function afterUpdate(
  tx: Transaction,
  scope: ProjectScope,
  { id }: Network,
  { expose_routes_to_vswitch: exposure }: { readonly expose_routes_to_vswitch?: unknown },
): Promise<void> {
  if (exposure !== undefined) await state.renew(tx, scope, [id])
}

/** Deletes a network, which everybody leaves. Errors: `protected`, `conflict`. */
export const remove = ({ db }: Platform, { scope, params: { id } }: Call['remove']) =>
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
  )

/** Protects a network from deletion, or no longer. */
export const changeProtection = (platform: Platform, call: Call['changeProtection']) =>
  act(platform, networks, call, async (tx, { id, isProtected }) => {
    const protect_delete = (call.body.delete ?? isProtected) ? 1 : 0
    await networks.set(tx, call.scope, id, { protect_delete })
    return recordOf(actions.changeNetworkProtection, networks.ref(id))
  })

// ---- Subnets and routes --------------------------------------------------------------------------------------------

/** Adds a subnet. Errors: those that the contract declares. */
export const addSubnet = (platform: Platform, call: Call['addSubnet']) =>
  change(platform, actions.addSubnet, call, (network) => {
    refuseMore('subnets', network.subnets.length, mostSubnets)
    const wanted = withSubnet(network, call.body, rulesOf(platform))
    checkVswitches(platform, added(network, wanted))
    return wanted
  })

/** Deletes a subnet. Errors: those that the contract declares. */
export const deleteSubnet = (platform: Platform, call: Call['deleteSubnet']) =>
  change(platform, actions.deleteSubnet, call, (network) => withoutSubnet(network, call.body.ip_range))

/** Adds a route. Errors: those that the contract declares. */
export const addRoute = (platform: Platform, call: Call['addRoute']) =>
  change(platform, actions.addRoute, call, (network) => {
    refuseMore('routes', network.routes.length, mostRoutes)
    return withRoute(network, call.body)
  })

/** Deletes a route. Errors: those that the contract declares. */
export const deleteRoute = (platform: Platform, call: Call['deleteRoute']) =>
  change(platform, actions.deleteRoute, call, (network) => {
    const changed = withoutRoute(network, call.body)
    if (!changed) throw new ApiError('not_found', 'the network has no such route')
    return changed
  })

/** Gives a network a longer range. Errors: those that the contract declares. */
export const changeIpRange = (platform: Platform, call: Call['changeIpRange']) =>
  change(platform, actions.changeIpRange, call, (network) => extended(network, call.body.ip_range))

/** Changes what a network consists of and starts the action that makes it so. */
const change = (
  platform: Platform,
  definition: typeof actions.addSubnet,
  call: OnOne,
  changed: (network: Network) => Topology,
) =>
  conflicting(networks, () =>
    act(platform, networks, call, async (tx, network) => {
      const { scope } = call
      const wanted = changed(network)
      await refuseStranding(tx, scope, network.id, wanted)
      await refuseMeeting(tx, scope, network, wanted)
      await coupleVswitches(tx, scope, network.id, added(network, wanted))
      await setTopology(tx, scope, network, wanted)
      await state.renew(tx, scope, [network.id])
      return actions.startTopology(definition, network.id)
    }),
  )

const rulesOf = ({ catalogue, clock }: Platform): SubnetRules => ({
  zones: new Set(catalogue.locations.map(({ network_zone }) => network_zone)),
  allowsServerType: !inEffect(networkChanges.server_subnets_removed, clock.now()),
  vswitchIsSmaller: inEffect(networkChanges.vswitch_subnet_smaller, clock.now()),
})

/**
 * Asked of new subnets only: one that a network has already must not stop others from being added. Errors:
 * `service_error` for a vSwitch that the operator does not offer, and those of `needVswitches`.
 */
function checkVswitches(platform: Platform, subnets: readonly Subnet[]): void {
  for (const subnet of subnets) needVswitches(platform, subnet)
  const isUnknown = ({ vswitchId }: Subnet) => vswitchId !== null && !platform.catalogue.hasVswitch(vswitchId)
  if (subnets.some(isUnknown)) throw new ApiError('service_error', 'vswitch not found')
}

/** Errors: `unsupported_error` for a network zone none of whose locations has vSwitches. */
function needVswitches({ catalogue, capabilities }: Platform, { networkZone, vswitchId }: Subnet): void {
  if (vswitchId === null) return
  const ofZone = catalogue.locations
    .filter((location) => location.network_zone === networkZone)
    .map(({ id }) => capabilities(id))
  needCapability(ofZone.find(({ vswitches }) => vswitches) ?? ofZone[0]!, 'vswitches')
}

/** Errors: `service_error` when a subnet that goes away holds addresses of members. */
async function refuseStranding(tx: Transaction, scope: ProjectScope, id: number, { subnets }: Topology): Promise<void> {
  const members = await membersOf(tx.query, scope, [id])
  const subnetOf = subnetFinder(subnets)
  const stranded = members.filter(({ ip }) => !subnetOf(numberOfIpv4(ip)))
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
  throw limitExceeded(`network_${what}`, `a network cannot have more than ${most} ${what}`)
}
