/** Networks in the database. */
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import type { Network, Route, Subnet, Topology } from './domain.ts'
import type { NetworkRow } from './tables.ts'

function fromRow(row: NetworkRow): Network {
  return {
    id: row.id,
    name: row.name,
    ipRange: row.ip_range,
    subnets: JSON.parse(row.subnets) as Subnet[],
    routes: JSON.parse(row.routes) as Route[],
    former: row.former === null ? null : (JSON.parse(row.former) as Topology),
    exposesRoutes: row.expose_routes_to_vswitch === 1,
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export const networks = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

/** Locks a network that is to get another member. Errors: `not_found`. */
export async function holdNetwork(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  if (!(await networks.hold(tx, scope, [id], 'update')).has(id)) throw notFound(networks.title, id)
}

const toColumns = ({ ipRange, subnets, routes }: Topology) => ({
  ip_range: ipRange,
  subnets: JSON.stringify(subnets),
  routes: JSON.stringify(routes),
})

/** Adds a network. Errors: `uniqueness_error`. */
export function insertNetwork(
  tx: Transaction,
  scope: ProjectScope,
  { name, labels, exposesRoutes, ...topology }: Pick<Network, 'name' | 'labels' | 'exposesRoutes'> & Topology,
): Promise<Network> {
  return networks.insert(tx, scope, {
    name,
    ...toColumns(topology),
    former: null,
    expose_routes_to_vswitch: exposesRoutes ? 1 : 0,
    labels,
    protect_delete: 0,
  })
}

/** Makes a locked network another one, until the change is settled. */
export async function setTopology(
  tx: Transaction,
  scope: ProjectScope,
  { id, ipRange, subnets, routes }: Network,
  wanted: Topology,
): Promise<void> {
  const former = JSON.stringify({ ipRange, subnets, routes } satisfies Topology)
  await scoped(tx.query, scope)
    .updateTable('network')
    .set({ ...toColumns(wanted), former })
    .where('id', '=', id)
    .execute()
}

/** Ends a change: what is desired stays, or what was there before comes back. */
export async function settleTopology(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  outcome: 'kept' | 'reverted',
): Promise<void> {
  const network = await networks.find(tx.query, scope, id)
  if (!network?.former) return
  const settled = outcome === 'reverted' ? network.former : network
  await networks.set(tx, scope, id, { ...toColumns(settled), former: null })
  await keepVswitches(tx, scope, id, settled.subnets)
}

// ---- vSwitches -----------------------------------------------------------------------------------------------------

const vswitchesOf = (subnets: readonly Subnet[]) =>
  subnets.flatMap(({ vswitchId }) => (vswitchId === null ? [] : [vswitchId]))

/** Couples a network with vSwitches that nobody has. Errors: `vswitch_id_already_used`. */
export async function coupleVswitches(
  tx: Transaction,
  scope: ProjectScope,
  networkId: number,
  subnets: readonly Subnet[],
): Promise<void> {
  for (const id of vswitchesOf(subnets).sort((a, b) => a - b)) {
    const inserted = await scoped(tx.query, scope)
      .insertInto('network_vswitch', [{ id, network_id: networkId }])
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .execute()
    if (inserted.length === 0) {
      throw new ApiError('vswitch_id_already_used', `vswitch with ID '${id}' is already used by a network`)
    }
  }
}

/** Parts a network from all vSwitches but those of the given subnets. */
export async function keepVswitches(
  tx: Transaction,
  scope: ProjectScope,
  networkId: number,
  subnets: readonly Subnet[],
): Promise<void> {
  const kept = vswitchesOf(subnets)
  let gone = scoped(tx.query, scope).deleteFrom('network_vswitch').where('network_id', '=', networkId)
  if (kept.length > 0) gone = gone.where('id', 'not in', kept)
  await gone.execute()
}

/** The ranges of the vSwitches that a network reaches. */
export async function vswitchRangesOf(query: Queries, scope: ProjectScope, networkId: number): Promise<string[]> {
  const { subnets } = await networks.get(query, scope, networkId)
  return subnets.filter(({ type }) => type === 'vswitch').map(({ ipRange }) => ipRange)
}
