/** Every statement on the table of SSH keys. */

import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { databaseFailure } from '../../kernel/data/dialect.ts'
import { notFound, notUnique } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import { type Filters, type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import { changedMeanwhile, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SshKey } from './domain.ts'
import type { SshKeyRow } from './tables.ts'

const sshKeyListing: Listing = { table: 'ssh_key', kind: 'ssh_key', columns: { id: 'id', name: 'name' } }

function fromRow(row: SshKeyRow): SshKey {
  const { id, name, fingerprint, created, version } = row
  return { id, name, fingerprint, publicKey: row.public_key, labels: readLabels(row.labels), created, version }
}

export async function listSshKeys(query: Queries, scope: ProjectScope, page: PageQuery, filters: Filters) {
  const { rows, pagination } = await listPage<SshKeyRow>(query, scope, sshKeyListing, page, filters)
  return { sshKeys: rows.map(fromRow), pagination }
}

export async function findSshKey(query: Queries, scope: ProjectScope, id: number): Promise<SshKey | undefined> {
  const row = await query
    .selectFrom('ssh_key')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row && fromRow(row)
}

/** Errors: `not_found`. */
export async function getSshKey(query: Queries, scope: ProjectScope, id: number): Promise<SshKey> {
  const sshKey = await findSshKey(query, scope, id)
  if (!sshKey) throw notFound('SSH key', id)
  return sshKey
}

/** The keys that have one of the ids or one of the names. */
export async function sshKeysNamed(
  query: Queries,
  scope: ProjectScope,
  { ids, names }: { ids: readonly number[]; names: readonly string[] },
): Promise<SshKey[]> {
  if (ids.length + names.length === 0) return []
  const rows = await query
    .selectFrom('ssh_key')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where((is) =>
      is.or([ids.length ? is('id', 'in', ids) : is.lit(false), names.length ? is('name', 'in', names) : is.lit(false)]),
    )
    .execute()
  return rows.map(fromRow)
}

/** Errors: `uniqueness_error` for the name or the key itself. */
export async function insertSshKey(
  tx: Transaction,
  scope: ProjectScope,
  given: Pick<SshKey, 'name' | 'fingerprint' | 'publicKey' | 'labels'>,
): Promise<SshKey> {
  const row: SshKeyRow = {
    id: await drawId(tx),
    project_id: scope.projectId,
    name: given.name,
    fingerprint: given.fingerprint,
    public_key: given.publicKey,
    labels: JSON.stringify(given.labels),
    created: timestamp(tx.now),
    version: 1,
  }
  await refusingTwins(() => tx.query.insertInto('ssh_key').values(row).execute())
  await indexLabels(tx, scope, { kind: 'ssh_key', id: row.id }, given.labels, {})
  return fromRow(row)
}

/** Writes name and labels over the version that was read. Errors: `uniqueness_error`. */
export async function updateSshKey(
  tx: Transaction,
  scope: ProjectScope,
  before: SshKey,
  change: { name: string; labels: Labels },
): Promise<SshKey | typeof changedMeanwhile> {
  const row = await refusingTwins(() => replaceVersion<SshKeyRow>(tx, scope, 'ssh_key', before, change))
  return row === changedMeanwhile ? row : fromRow(row)
}

/** Errors: `not_found`. */
export async function deleteSshKey(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const row = await tx.query
    .deleteFrom('ssh_key')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .returning('labels')
    .executeTakeFirst()
  if (!row) throw notFound('SSH key', id)
  await indexLabels(tx, scope, { kind: 'ssh_key', id }, {}, readLabels(row.labels))
}

async function refusingTwins<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const failure = databaseFailure(error)
    if (failure?.kind !== 'unique') throw error
    if (failure.constraint.includes('fingerprint')) throw notUnique('public_key', 'SSH key not unique')
    throw notUnique('name', 'SSH key name is already used')
  }
}
