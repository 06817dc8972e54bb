/** Every statement on the tables of certificates. */
import { sql } from 'kysely'
import { timestamp } from '../../kernel/clock.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/db.ts'
import { databaseFailure } from '../../kernel/dialect.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { indexLabels, readLabels } from '../../kernel/label-index.ts'
import type { Labels } from '../../kernel/labels.ts'
import { type Filters, type Listing, listPage, type PageQuery } from '../../kernel/listing.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../kernel/secrets/secrets.ts'
import { changedMeanwhile, refusingTakenNames, replaceVersion } from '../../kernel/update.ts'
import {
  type Certificate,
  type CertificateFacts,
  type CertificateSummary,
  type CertificateUser,
  firstNoticeMs,
  type KeyPair,
} from './domain.ts'
import type { CertificateRow } from './tables.ts'

const certificateListing: Listing = {
  table: 'certificate',
  kind: 'certificate',
  columns: { id: 'id', name: 'name', created: 'created' },
}

const keyPlace = (id: number): SecretPlace => ({ table: 'certificate_key', column: 'private_key', id })

function fromRow(row: CertificateRow): Certificate {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    chain: row.certificate,
    domainNames: JSON.parse(row.domain_names) as string[],
    fingerprint: row.fingerprint,
    notValidBefore: row.not_valid_before,
    notValidAfter: row.not_valid_after,
    labels: readLabels(row.labels),
    created: row.created,
    version: row.version,
  }
}

export async function listCertificates(query: Queries, scope: ProjectScope, page: PageQuery, filters: Filters) {
  const { rows, pagination } = await listPage<CertificateRow>(query, scope, certificateListing, page, filters)
  return { certificates: rows.map(fromRow), pagination }
}

/** Errors: `not_found`. */
export async function getCertificate(query: Queries, scope: ProjectScope, id: number): Promise<Certificate> {
  const row = await query
    .selectFrom('certificate')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row) throw notFound('certificate', id)
  return fromRow(row)
}

/** A certificate with its private key, for the component that serves with it. Errors: `not_found`, also before it is issued. */
export async function getKeyPair(query: Queries, secrets: Secrets, scope: ProjectScope, id: number): Promise<KeyPair> {
  const { chain } = await getCertificate(query, scope, id)
  const row = await query
    .selectFrom('certificate_key')
    .select('private_key')
    .where('project_id', '=', scope.projectId)
    .where('certificate_id', '=', id)
    .executeTakeFirst()
  if (!row || chain === null) throw notFound('certificate', id)
  return { certificate: chain, privateKey: await secrets.open(query, scope, keyPlace(id), row.private_key) }
}

export interface NewCertificate extends KeyPair {
  readonly name: string
  readonly labels: Labels
  readonly facts: CertificateFacts
}

/** Keeps an uploaded certificate, its private key sealed. Errors: `uniqueness_error`. */
export async function insertCertificate(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  { name, labels, facts, certificate, privateKey }: NewCertificate,
): Promise<Certificate> {
  const id = await drawId(tx)
  const row: CertificateRow = {
    id,
    project_id: scope.projectId,
    name,
    type: 'uploaded',
    certificate,
    domain_names: JSON.stringify(facts.domainNames),
    fingerprint: facts.fingerprint,
    not_valid_before: facts.notValidBefore,
    not_valid_after: facts.notValidAfter,
    labels: JSON.stringify(labels),
    created: timestamp(tx.now),
    version: 1,
  }
  await refusingNames(() => tx.query.insertInto('certificate').values(row).execute())
  const private_key = await secrets.seal(tx, scope, keyPlace(id), privateKey)
  await tx.query
    .insertInto('certificate_key')
    .values({ certificate_id: id, project_id: scope.projectId, private_key })
    .execute()
  await indexLabels(tx, scope, { kind: 'certificate', id }, labels, {})
  return fromRow(row)
}

/** Writes name and labels over the version that was read. Errors: `uniqueness_error`. */
export async function updateCertificate(
  tx: Transaction,
  scope: ProjectScope,
  before: Certificate,
  change: { name: string; labels: Labels },
): Promise<Certificate | typeof changedMeanwhile> {
  const row = await refusingNames(() => replaceVersion<CertificateRow>(tx, scope, 'certificate', before, change))
  return row === changedMeanwhile ? row : fromRow(row)
}

/** Deletes a certificate and its private key. Errors: `not_found`; `service_error` while something uses it. */
export async function deleteCertificate(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const { labels } = await getCertificate(tx.query, scope, id)
  await tx.query
    .deleteFrom('certificate_key')
    .where('project_id', '=', scope.projectId)
    .where('certificate_id', '=', id)
    .execute()
  try {
    await tx.query.deleteFrom('certificate').where('project_id', '=', scope.projectId).where('id', '=', id).execute()
  } catch (error) {
    // Its uses refer to it, so that a rival who begins to use it is seen too.
    if (databaseFailure(error)?.kind !== 'foreign_key') throw error
    throw new ApiError('service_error', 'certificate still in use')
  }
  await indexLabels(tx, scope, { kind: 'certificate', id }, {}, labels)
}

/** An uploaded certificate that nears its end. */
export interface EndingCertificate extends CertificateSummary {
  readonly scope: ProjectScope
  readonly notValidAfter: string
}

/** Uploaded certificates of all Projects whose end is near but not past, soonest first, in pages. */
export async function endingCertificates(
  query: Queries,
  nowMs: number,
  after: Pick<EndingCertificate, 'id' | 'notValidAfter'> | undefined,
  limit: number,
): Promise<EndingCertificate[]> {
  const { id, notValidAfter } = after ?? { id: Number.MAX_SAFE_INTEGER, notValidAfter: timestamp(nowMs) }
  const rows = await query
    .selectFrom('certificate')
    .select(['id', 'project_id', 'name', 'domain_names', 'fingerprint', 'not_valid_after'])
    .where('type', '=', sql<'uploaded'>`'uploaded'`)
    .where('not_valid_after', '<=', timestamp(nowMs + firstNoticeMs))
    .where(sql<boolean>`(not_valid_after, id) > (${notValidAfter}, ${id})`)
    .orderBy('not_valid_after')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    scope: { projectId: row.project_id },
    name: row.name,
    domainNames: JSON.parse(row.domain_names) as string[],
    fingerprint: row.fingerprint,
    notValidAfter: row.not_valid_after!,
  }))
}

// ---- What uses which -----------------------------------------------------------------------------------------------

/** What uses each of some certificates; those that nothing uses are not there. */
export async function usersOf(
  query: Queries,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CertificateUser[]>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('certificate_use')
    .selectAll()
    .where('project_id', '=', scope.projectId)
    .where('certificate_id', 'in', ids)
    .orderBy('resource_id')
    .execute()
  const users = new Map<number, CertificateUser[]>()
  for (const { certificate_id, type, resource_id: id } of rows) {
    users.set(certificate_id, [...(users.get(certificate_id) ?? []), { type, id }])
  }
  return users
}

/** Makes these the certificates that a resource uses, and no others. Errors: `not_found`. */
export async function replaceUses(
  tx: Transaction,
  scope: ProjectScope,
  user: CertificateUser,
  certificateIds: readonly number[],
): Promise<void> {
  await tx.query
    .deleteFrom('certificate_use')
    .where('project_id', '=', scope.projectId)
    .where('type', '=', user.type)
    .where('resource_id', '=', user.id)
    .execute()
  // Always in the same order, so that two who use the same ones do not wait for each other.
  for (const id of [...new Set(certificateIds)].sort((a, b) => a - b)) {
    await getCertificate(tx.query, scope, id)
    await insertUse(tx, scope, user, id)
  }
}

async function insertUse(tx: Transaction, scope: ProjectScope, user: CertificateUser, id: number): Promise<void> {
  const row = { certificate_id: id, project_id: scope.projectId, type: user.type, resource_id: user.id }
  try {
    await tx.query.insertInto('certificate_use').values(row).execute()
  } catch (error) {
    if (databaseFailure(error)?.kind === 'foreign_key') throw notFound('certificate', id)
    throw error
  }
}

function refusingNames<T>(write: () => Promise<T>): Promise<T> {
  return refusingTakenNames(write, 'certificate name is already used')
}
