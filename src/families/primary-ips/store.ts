/** Every statement on the table of Primary IPs. */

import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { insertRowsAlong } from '../../kernel/data/prepared.ts'
import { ApiError } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { claimAddress, releaseAddress } from '../addresses/pool.ts'
import { defaultReverseNames, type ReverseName } from '../addresses/reverse-names.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import type { PrimaryIpRow } from './tables.ts'

function fromRow({ id, type, ip, server_id, dns_ptr }: PrimaryIpRow): PrimaryIp {
  return { id, type, ip, serverId: server_id, reverseNames: JSON.parse(dns_ptr) as ReverseName[] }
}

/** The Primary IPs of some servers. */
export async function primaryIpsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<PrimaryIp[]> {
  if (serverIds.length === 0) return []
  const rows = await query
    .selectFrom('primary_ip')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('server_id', 'in', serverIds)
    .execute()
  return rows.map(fromRow)
}

/** Makes a Primary IP that lives and dies with its server. Errors: `resource_unavailable` when no address is left. */
export async function createPrimaryIpFor(
  tx: Transaction,
  scope: ProjectScope,
  server: { id: number; location: number },
  type: IpType,
  reverseDomain: string,
): Promise<PrimaryIp> {
  const id = await drawId(tx)
  const ip = await claimAddress(tx, scope, type === 'ipv4' ? 4 : 6, `primary_ip:${id}`)
  if (ip === undefined) throw new ApiError('resource_unavailable', `no ${type} address is available`)
  const row: PrimaryIpRow = {
    id,
    project_id: scope.projectId,
    name: `primary_ip-${id}`,
    type,
    ip,
    location: server.location,
    server_id: server.id,
    auto_delete: 1,
    dns_ptr: JSON.stringify(defaultReverseNames({ type, ip }, reverseDomain)),
    labels: '{}',
    protect_delete: 0,
    created: timestamp(tx.now),
    version: 1,
  }
  await insertRowsAlong(tx, 'primary_ip', [row])
  return fromRow(row)
}

/** Parts a server from its Primary IPs: those made for it go, others stay unassigned. */
export async function releasePrimaryIpsOf(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const gone = await tx.query
    .deleteFrom('primary_ip')
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .where('auto_delete', '=', 1)
    .returning('ip')
    .execute()
  for (const { ip } of gone) await releaseAddress(tx, scope, ip)
  await tx.query
    .updateTable('primary_ip')
    .set({ server_id: null })
    .where('project_id', '=', scope.projectId)
    .where('server_id', '=', serverId)
    .execute()
}
