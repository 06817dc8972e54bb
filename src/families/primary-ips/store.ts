/** Primary IPs in the database. */
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { preparedScoped, preparedScopedMany, scoped } from '../../kernel/data/scoped.ts'
import { byChunks } from '../../kernel/data/steps.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { DefaultNames } from '../../protocols/net/default-names.ts'
import { defaultReverseNames, type ReverseName } from '../addresses/domain.ts'
import { claimAddress, releaseAddress } from '../addresses/store.ts'
import { announceDns } from '../zones/effects.ts'
import { spelling } from './contract.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import type { PrimaryIpRow } from './tables.ts'

function fromRow(row: PrimaryIpRow): PrimaryIp {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    ip: row.ip,
    locationId: row.location,
    serverId: row.server_id,
    loadBalancerId: row.load_balancer_id,
    autoDelete: row.auto_delete === 1,
    reverseNames: JSON.parse(row.dns_ptr) as ReverseName[],
    labels: readLabels(row.labels),
    isProtected: row.protect_delete === 1,
    created: row.created,
    version: row.version,
  }
}

export const primaryIps = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

/** An address of the pool for a Primary IP that is still to be added. */
export interface Claim {
  readonly id: number
  readonly type: IpType
  readonly ip: string
}

/** Claims an address; undefined when none is left. */
export async function claimFor(tx: Transaction, scope: ProjectScope, type: IpType): Promise<Claim | undefined> {
  const id = await drawId(tx)
  const ip = await claimAddress(tx, scope, type === 'ipv4' ? 4 : 6, `primary_ip:${id}`)
  return ip === undefined ? undefined : { id, type, ip }
}

export interface NewPrimaryIp extends Pick<PrimaryIp, 'locationId' | 'serverId' | 'autoDelete' | 'labels'> {
  /** Null for a name made from the id. */
  readonly name: string | null
}

/** Errors: `uniqueness_error`. */
export function insertPrimaryIp(
  tx: Transaction,
  scope: ProjectScope,
  { id, type, ip }: Claim,
  given: NewPrimaryIp,
  defaultNames: DefaultNames,
): Promise<PrimaryIp> {
  return primaryIps.insert(tx, scope, {
    id,
    name: given.name ?? `primary_ip-${id}`,
    type,
    ip,
    location: given.locationId,
    server_id: given.serverId,
    load_balancer_id: null,
    auto_delete: given.autoDelete ? 1 : 0,
    dns_ptr: JSON.stringify(defaultReverseNames({ type, ip }, defaultNames)),
    labels: given.labels,
    protect_delete: 0,
  })
}

export async function setReverseNames(
  tx: Transaction,
  scope: ProjectScope,
  { id, ip }: PrimaryIp,
  names: readonly ReverseName[],
): Promise<void> {
  await primaryIps.set(tx, scope, id, { dns_ptr: JSON.stringify(names) })
  await announceDns(tx, `address:${ip}`)
}

// ---- Who has which -------------------------------------------------------------------------------------------------

/** The Primary IPs of some servers. */
export function primaryIpsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly PrimaryIp[]> {
  return byChunks(serverIds, (some) => after(ofServers(query, scope, some), (rows) => rows.map(primaryIps.ofRow)))
}

const ofServers = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('primary_ip').selectAll().where('server_id', 'in', ids),
)

/** The addresses of a server that are those of its Primary IPs. */
export const addressesOfServer = preparedScoped((rows, serverId: number) =>
  rows.selectFrom('primary_ip').select(['type', 'ip']).where('server_id', '=', serverId),
)

/** The Primary IPs of some Load Balancers. */
export async function primaryIpsOfBalancers(
  query: Queries,
  scope: ProjectScope,
  balancerIds: readonly number[],
): Promise<PrimaryIp[]> {
  if (balancerIds.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('primary_ip')
    .selectAll()
    .where('load_balancer_id', 'in', balancerIds)
    .execute()
  return rows.map(fromRow).sort((a, b) => a.id - b.id)
}

/**
 * Parts a server that goes away from its Primary IPs: it takes those with `auto_delete` with it, the others stay. A server
 * whose creation failed takes only those that were made with it, and so have later ids.
 */
export async function releasePrimaryIpsOf(
  tx: Transaction,
  scope: ProjectScope,
  serverId: number,
  wasMade: boolean,
): Promise<void> {
  const rows = await scoped(tx.query, scope)
    .selectFrom('primary_ip')
    .selectAll()
    .where('server_id', '=', serverId)
    .orderBy('id')
    .modifyEnd(tx.dialect.lockRows('update'))
    .execute()
  for (const primaryIp of rows.map(fromRow)) {
    if (primaryIp.autoDelete && (wasMade || primaryIp.id > serverId)) await deletePrimaryIp(tx, scope, primaryIp)
    else await primaryIps.set(tx, scope, primaryIp.id, { server_id: null })
  }
}

/** Deletes a Primary IP that the transaction has locked. */
export async function deletePrimaryIp(tx: Transaction, scope: ProjectScope, primaryIp: PrimaryIp): Promise<void> {
  await primaryIps.remove(tx, scope, primaryIp)
  await releaseAddress(tx, scope, primaryIp.ip)
}
