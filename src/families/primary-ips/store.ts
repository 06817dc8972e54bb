/** Primary IPs in the database. */
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import { ApiError } from '../../kernel/errors.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { defaultReverseNames, type ReverseName } from '../addresses/reverse-names.ts'
import { claimAddress, releaseAddress } from '../addresses/store.ts'
import type { IpType, PrimaryIp } from './domain.ts'
import type { PrimaryIpRow } from './tables.ts'

function fromRow({ id, type, ip, server_id, dns_ptr, labels, version }: PrimaryIpRow): PrimaryIp {
  const reverseNames = JSON.parse(dns_ptr) as ReverseName[]
  return { id, type, ip, serverId: server_id, reverseNames, labels: readLabels(labels), version }
}

export const primaryIps = defineResource({
  type: 'primary_ip',
  path: 'primary_ips',
  title: 'Primary IP',
  sortable: ['id', 'created'],
  fromRow,
})

/** The Primary IPs of some servers. */
export async function primaryIpsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<PrimaryIp[]> {
  if (serverIds.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('primary_ip')
    .selectAll()
    .where('server_id', 'in', serverIds)
    .execute()
  return rows.map(fromRow)
}

/** Creates a Primary IP that is deleted with its server. Errors: `resource_unavailable` when no address is left. */
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
  return primaryIps.insert(tx, scope, {
    id,
    name: `primary_ip-${id}`,
    type,
    ip,
    location: server.location,
    server_id: server.id,
    auto_delete: 1,
    dns_ptr: JSON.stringify(defaultReverseNames({ type, ip }, reverseDomain)),
    labels: {},
    protect_delete: 0,
  })
}

/** Deletes the Primary IPs that were created for a server and unassigns its others. */
export async function releasePrimaryIpsOf(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  const rows = scoped(tx.query, scope)
  const gone = await rows
    .deleteFrom('primary_ip')
    .where('server_id', '=', serverId)
    .where('auto_delete', '=', 1)
    .returning('ip')
    .execute()
  for (const { ip } of gone) await releaseAddress(tx, scope, ip)
  await rows.updateTable('primary_ip').set({ server_id: null }).where('server_id', '=', serverId).execute()
}
