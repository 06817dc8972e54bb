/** Servers in networks, in the database. */
import { drawId, type Queries, type Transaction } from '../../../kernel/data/db.ts'
import { scoped } from '../../../kernel/data/scoped.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { NetworkAttachmentRow } from '../tables.ts'
import type { Member } from './domain.ts'

function fromRow(row: NetworkAttachmentRow): Member {
  return {
    id: row.id,
    networkId: row.network_id,
    serverId: row.server_id,
    ip: row.ip,
    aliasIps: JSON.parse(row.alias_ips) as string[],
    formerAliasIps: row.former_alias_ips === null ? null : (JSON.parse(row.former_alias_ips) as string[]),
    status: row.status,
  }
}

/** Who is in some networks, by id. */
export const membersOf = (query: Queries, scope: ProjectScope, networkIds: readonly number[]) =>
  membersWhere(query, scope, 'network_id', networkIds)

/** Where some servers are, by id. */
export const membershipsOf = (query: Queries, scope: ProjectScope, serverIds: readonly number[]) =>
  membersWhere(query, scope, 'server_id', serverIds)

async function membersWhere(
  query: Queries,
  scope: ProjectScope,
  column: 'network_id' | 'server_id',
  ids: readonly number[],
): Promise<Member[]> {
  if (ids.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('network_attachment')
    .selectAll()
    .where(column, 'in', ids)
    .orderBy('id')
    .execute()
  return rows.map(fromRow)
}

/** Adds a server to a network that the transaction has locked. */
export async function insertMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId, ip, aliasIps }: Pick<Member, 'networkId' | 'serverId' | 'ip' | 'aliasIps'>,
): Promise<void> {
  const addresses = { ip, alias_ips: JSON.stringify(aliasIps), former_alias_ips: null }
  const row = { id: await drawId(tx), network_id: networkId, server_id: serverId, ...addresses }
  await scoped(tx.query, scope)
    .insertInto('network_attachment', [{ ...row, status: 'attaching' }])
    .execute()
}

/** Changes a member; nothing happens when it is gone. */
export async function setMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId }: Pick<Member, 'networkId' | 'serverId'>,
  change: Partial<Pick<Member, 'aliasIps' | 'formerAliasIps' | 'status'>>,
): Promise<void> {
  const { aliasIps, formerAliasIps, status } = change
  const columns = {
    ...(aliasIps ? { alias_ips: JSON.stringify(aliasIps) } : {}),
    ...(formerAliasIps === undefined ? {} : { former_alias_ips: formerAliasIps && JSON.stringify(formerAliasIps) }),
    ...(status ? { status } : {}),
  }
  await scoped(tx.query, scope)
    .updateTable('network_attachment')
    .set(columns)
    .where('network_id', '=', networkId)
    .where('server_id', '=', serverId)
    .execute()
}

/** Takes a server out of a network. */
export async function removeMember(
  tx: Transaction,
  scope: ProjectScope,
  { networkId, serverId }: Pick<Member, 'networkId' | 'serverId'>,
): Promise<void> {
  await scoped(tx.query, scope)
    .deleteFrom('network_attachment')
    .where('network_id', '=', networkId)
    .where('server_id', '=', serverId)
    .execute()
}

/** Takes a server out of all its networks. */
export async function leaveNetworks(tx: Transaction, scope: ProjectScope, serverId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('network_attachment').where('server_id', '=', serverId).execute()
}

/** Takes all servers out of a network. */
export async function emptyNetwork(tx: Transaction, scope: ProjectScope, networkId: number): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('network_attachment').where('network_id', '=', networkId).execute()
}
