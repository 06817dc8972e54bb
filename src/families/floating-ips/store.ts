/** Floating IPs in the database. */

import { lockedByOthers } from '../../kernel/actions/store.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { preparedScopedMany, scoped } from '../../kernel/data/scoped.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { DefaultNames } from '../../protocols/net/default-names.ts'
import { defaultReverseNames, type ReverseName } from '../addresses/domain.ts'
import { claimAddress, noAddressLeft } from '../addresses/store.ts'
import { announceDns } from '../zones/effects.ts'
import { spelling } from './contract.ts'
import type { FloatingIp } from './domain.ts'
import type { FloatingIpRow } from './tables.ts'

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

export const floatingIps = defineResource({ ...spelling, fromRow, unique: { name: nameTaken() } })

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
  defaultNames: DefaultNames,
): Promise<FloatingIp> {
  const id = await drawId(tx)
  const { type } = given
  const ip = await claimAddress(tx, scope, type === 'ipv4' ? 4 : 6, `floating_ip:${id}`)
  if (ip === undefined) throw noAddressLeft(type, tx.now)
  return floatingIps.insert(tx, scope, {
    id,
    name: given.name ?? `floating-ip-${id}`,
    description: given.description,
    type,
    ip,
    home_location: given.homeLocationId,
    server_id: given.serverId,
    dns_ptr: JSON.stringify(defaultReverseNames({ type, ip }, defaultNames)),
    labels: given.labels,
    protect_delete: 0,
  })
}

export async function setReverseNames(
  tx: Transaction,
  scope: ProjectScope,
  { id, ip }: FloatingIp,
  names: readonly ReverseName[],
): Promise<void> {
  await floatingIps.set(tx, scope, id, { dns_ptr: JSON.stringify(names) })
  await announceDns(tx, `address:${ip}`)
}

// ---- Which server has which ----------------------------------------------------------------------------------------

/** The Floating IPs assigned to some servers, by id. */
export function floatingIpsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly { readonly id: number; readonly ip: string; readonly serverId: number }[]> {
  return after(ofServers(query, scope, serverIds), (rows) =>
    // Asked for an order, SQLite would go through all that the Project has.
    rows.toSorted((a, b) => a.id - b.id).map((row) => ({ id: row.id, ip: row.ip, serverId: row.server_id as number })),
  )
}

const ofServers = preparedScopedMany((rows, ids: readonly number[]) =>
  rows.selectFrom('floating_ip').select(['id', 'ip', 'server_id']).where('server_id', 'in', ids),
)

/** The addresses that actions, but for one, are to bring to other servers than this one. */
export async function floatingIpsOnTheirWay(
  query: Queries,
  scope: ProjectScope,
  serverId: number,
  actionId: number | undefined,
): Promise<string[]> {
  const moving = await lockedByOthers(query, scope, floatingIps.type, actionId)
  if (moving.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('floating_ip')
    .select('ip')
    .where('id', 'in', moving)
    .where('server_id', 'is not', null)
    .where('server_id', '!=', serverId)
    .execute()
  return rows.map(({ ip }) => ip)
}

/** Parts a server that goes away from its Floating IPs; they stay, unassigned. */
export async function unassignAll(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(tx.query, scope)
    .updateTable('floating_ip')
    .set({ server_id: null })
    .where('server_id', '=', serverId)
    .execute()
}
