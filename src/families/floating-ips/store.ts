/** Every statement on the tables of Floating IPs. */
import { sql } from 'kysely'
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import type { Pending } from '../../kernel/resource/reconcile.ts'
import { changedMeanwhile, insertNamed, refusingTakenNames, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { claimAddress, releaseAddress } from '../addresses/pool.ts'
import { defaultReverseNames, type ReverseName } from '../addresses/reverse-names.ts'
import { announceDns } from '../zones/effects.ts'
import type { FloatingIp } from './domain.ts'
import type { FloatingIpRow } from './tables.ts'

/** How many a Project may have is limited. */
export const limitedFloatingIps: LimitedKind = { path: 'floating_ips', title: 'Floating IP', type: 'floating_ip' }

const floatingIpListing: Listing = {
  table: 'floating_ip',
  kind: 'floating_ip',
  columns: { id: 'id', created: 'created' },
}

function fromRow(row: FloatingIpRow): FloatingIp {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    type: row.type,
    ip: row.ip,
    homeLocationId: row.home_location,
    serverId: row.server_id,
    reverseNames: JSON.parse(row.dns_ptr) as ReverseName[],
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export async function listFloatingIps(query: Queries, scope: ProjectScope, page: PageQuery) {
  const { rows, pagination } = await listPage<FloatingIpRow>(query, scope, floatingIpListing, page)
  return { floatingIps: rows.map(fromRow), pagination }
}

export async function findFloatingIp(query: Queries, scope: ProjectScope, id: number): Promise<FloatingIp | undefined> {
  const row = await query
    .selectFrom('floating_ip')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** Errors: `not_found`. */
export async function getFloatingIp(query: Queries, scope: ProjectScope, id: number): Promise<FloatingIp> {
  const found = await findFloatingIp(query, scope, id)
  if (!found) throw notFound('floating IP', id)
  return found
}

/** Reads a Floating IP for a change: nobody else changes it until the transaction ends. Errors: `not_found`. */
export async function lockFloatingIp(tx: Transaction, scope: ProjectScope, id: number): Promise<FloatingIp> {
  const { rows } = await sql<FloatingIpRow>`
    select * from floating_ip where project_id = ${scope.projectId} and id = ${id} ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  if (!rows[0]) throw notFound('floating IP', id)
  return fromRow(rows[0])
}

export interface NewFloatingIp
  extends Pick<FloatingIp, 'type' | 'description' | 'homeLocationId' | 'serverId' | 'labels'> {
  /** Null for a name made from the id. */
  readonly name: string | null
}

/** Errors: `uniqueness_error`; 412 `unavailable` when no address is left (spec: Floating IPs). */
export async function insertFloatingIp(
  tx: Transaction,
  scope: ProjectScope,
  given: NewFloatingIp,
  reverseDomain: string,
): Promise<FloatingIp> {
  const id = await drawId(tx)
  const { type } = given
  const ip = await claimAddress(tx, scope, type === 'ipv4' ? 4 : 6, `floating_ip:${id}`)
  if (ip === undefined) {
    const status = inEffect('no_address_is_412', tx.now) ? 412 : 503
    throw new ApiError('unavailable', `no ${type} address is available`, { status })
  }
  const row: FloatingIpRow = {
    id,
    project_id: scope.projectId,
    name: given.name ?? `floating-ip-${id}`,
    description: given.description,
    type,
    ip,
    home_location: given.homeLocationId,
    server_id: given.serverId,
    dns_ptr: JSON.stringify(defaultReverseNames({ type, ip }, reverseDomain)),
    labels: JSON.stringify(given.labels),
    protect_delete: 0,
    created: timestamp(tx.now),
    version: 1,
  }
  await insertNamed(tx, 'floating_ip', row)
  await indexLabels(tx, scope, { kind: 'floating_ip', id }, given.labels, {})
  return fromRow(row)
}

/** Writes what a user may change over the version that was read. Errors: `uniqueness_error`. */
export async function updateFloatingIp(
  tx: Transaction,
  scope: ProjectScope,
  before: FloatingIp,
  change: { name: string; description: string | null; labels: Labels },
): Promise<FloatingIp | typeof changedMeanwhile> {
  const row = await refusingTakenNames(() => replaceVersion<FloatingIpRow>(tx, scope, 'floating_ip', before, change))
  return row === changedMeanwhile ? row : fromRow(row)
}

async function setFloatingIp(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  change: Partial<FloatingIpRow>,
): Promise<void> {
  await tx.query
    .updateTable('floating_ip')
    .set(change)
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

/** Wants the Floating IP at a server, or at none. */
export async function wantServer(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  serverId: number | null,
): Promise<void> {
  await setFloatingIp(tx, scope, id, { server_id: serverId })
}

export async function setReverseNames(
  tx: Transaction,
  scope: ProjectScope,
  { id, ip }: FloatingIp,
  names: readonly ReverseName[],
): Promise<void> {
  await setFloatingIp(tx, scope, id, { dns_ptr: JSON.stringify(names) })
  await announceDns(tx, `address:${ip}`)
}

export async function setProtection(tx: Transaction, scope: ProjectScope, id: number, on: boolean): Promise<void> {
  await setFloatingIp(tx, scope, id, { protect_delete: on ? 1 : 0 })
}

/** Deletes it and puts its address to rest. */
export async function deleteFloatingIp(tx: Transaction, scope: ProjectScope, floatingIp: FloatingIp): Promise<void> {
  await tx.query
    .deleteFrom('floating_ip')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', floatingIp.id)
    .execute()
  await indexLabels(tx, scope, { kind: 'floating_ip', id: floatingIp.id }, {}, floatingIp.labels)
  await releaseAddress(tx, scope, floatingIp.ip)
}

// ---- Which server has which ----------------------------------------------------------------------------------------

/** The Floating IPs assigned to some servers, by id. */
export async function floatingIpsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<{ id: number; ip: string; serverId: number }[]> {
  if (serverIds.length === 0) return []
  const rows = await query
    .selectFrom('floating_ip')
    .select(['id', 'ip', 'server_id'])
    .where('project_id', '=', scope.projectId)
    .where('server_id', 'in', serverIds)
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ id: row.id, ip: row.ip, serverId: row.server_id as number }))
}

/** Gives the sets of some servers a new generation, because they changed. */
export async function renewRouting(tx: Transaction, scope: ProjectScope, serverIds: readonly number[]): Promise<void> {
  // Always in the same order, so that two who renew the same sets do not wait for each other.
  for (const server_id of [...new Set(serverIds)].sort((a, b) => a - b)) {
    await tx.query
      .insertInto('floating_ip_routing')
      .values({ server_id, project_id: scope.projectId, generation: 1, generation_in_force: 0 })
      .onConflict((conflict) =>
        conflict.column('server_id').doUpdateSet({ generation: sql<number>`floating_ip_routing.generation + 1` }),
      )
      .execute()
  }
}

/** The generation of a server's set; undefined when it never had one or is gone. */
export async function routingGeneration(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
): Promise<number | undefined> {
  const row = await query
    .selectFrom('floating_ip_routing')
    .select('generation')
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .executeTakeFirst()
  return row?.generation
}

/** Parts a server that goes away from its Floating IPs; they stay, unassigned. */
export async function unassignAll(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await tx.query
    .updateTable('floating_ip')
    .set({ server_id: null })
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .execute()
  await tx.query
    .deleteFrom('floating_ip_routing')
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .execute()
}

/** Records that the driver confirmed a generation of a server's set. */
export async function confirmRouting(
  tx: Transaction,
  scope: ProjectScope,
  serverId: number,
  generation: number,
): Promise<void> {
  await tx.query
    .updateTable('floating_ip_routing')
    .set({ generation_in_force: generation })
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .where('generation_in_force', '<', generation)
    .execute()
}

/** Sets of all Projects that are not in force as they should be, by their servers, past a server's id. */
export async function pendingRoutings(query: Queries, after: number, limit: number): Promise<Pending[]> {
  const rows = await query
    .selectFrom('floating_ip_routing')
    .select(['server_id', 'project_id'])
    .whereRef('generation_in_force', '<', 'generation')
    .where('server_id', '>', after)
    .orderBy('server_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: row.server_id, scope: { projectId: row.project_id } }))
}
