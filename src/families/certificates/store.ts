/** Every statement on the tables of certificates. */
import { sql } from 'kysely'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { databaseFailure } from '../../kernel/data/dialect.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Filters, type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import { changedMeanwhile, insertNamed, refusingTakenNames, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../kernel/secrets/secrets.ts'
import {
  type Certificate,
  type CertificateFacts,
  type CertificateStatus,
  type CertificateSummary,
  type CertificateUser,
  firstNoticeMs,
  type KeyPair,
} from './domain.ts'
import type { CertificateRow } from './tables.ts'

/** How many a Project may have is limited. */
export const limitedCertificates: LimitedKind = { path: 'certificates', title: 'certificate', type: 'certificate' }

const nameTaken = 'certificate name is already used'

const certificateListing: Listing = {
  table: 'certificate',
  kind: 'certificate',
  columns: { id: 'id', name: 'name', created: 'created' },
}

export const keyPlace = (id: number): SecretPlace => ({ table: 'certificate_key', column: 'private_key', id })

function statusOf({ issuance, renewal, error_code, error_message }: CertificateRow): CertificateStatus | null {
  if (issuance === null || renewal === null) return null
  return { issuance, renewal, error: error_code === null ? null : { code: error_code, message: error_message ?? '' } }
}

/** A row as the family knows it. */
export function fromRow(row: CertificateRow): Certificate {
  return {
    id: row.id,
    name: row.name,
    type: row.type,
    chain: row.certificate,
    domainNames: JSON.parse(row.domain_names) as string[],
    fingerprint: row.fingerprint,
    notValidBefore: row.not_valid_before,
    notValidAfter: row.not_valid_after,
    status: statusOf(row),
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
  // In one statement: a renewal replaces both at once.
  const row = await query
    .selectFrom('certificate')
    .innerJoin('certificate_key', 'certificate_id', 'id')
    .select(['certificate', 'private_key'])
    .where('certificate.project_id', '=', scope.projectId)
    .where('id', '=', id)
    .executeTakeFirst()
  if (!row || row.certificate === null) throw notFound('certificate', id)
  return { certificate: row.certificate, privateKey: await secrets.open(query, scope, keyPlace(id), row.private_key) }
}

export interface NewCertificate {
  readonly name: string
  readonly labels: Labels
}

const notIssued = { certificate: null, fingerprint: null, not_valid_before: null, not_valid_after: null }
const notManaged = {
  issuance: null,
  renewal: null,
  error_code: null,
  error_message: null,
  failures: 0,
  schedule_at: null,
  renew_at: null,
  hint_at: null,
}

/** What a certificate with these facts has in its row. */
export function issuedColumns(chain: string, facts: CertificateFacts) {
  return {
    certificate: chain,
    domain_names: JSON.stringify(facts.domainNames),
    fingerprint: facts.fingerprint,
    not_valid_before: facts.notValidBefore,
    not_valid_after: facts.notValidAfter,
  }
}

/** Keeps an uploaded certificate, its private key sealed. Errors: `uniqueness_error`. */
export async function insertUploaded(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  { facts, certificate, privateKey, ...given }: NewCertificate & KeyPair & { readonly facts: CertificateFacts },
): Promise<Certificate> {
  const issued = issuedColumns(certificate, facts)
  const row = await insert(tx, scope, given, { ...notManaged, ...issued, type: 'uploaded' })
  await putKey(tx, secrets, scope, row.id, privateKey)
  return fromRow(row)
}

/** Makes a managed certificate, which is still to be issued. Errors: `uniqueness_error`. */
export async function insertManaged(
  tx: Transaction,
  scope: ProjectScope,
  { domainNames, ...given }: NewCertificate & Pick<Certificate, 'domainNames'>,
): Promise<Certificate> {
  const domain_names = JSON.stringify(domainNames)
  const pending = { ...notManaged, issuance: 'pending', renewal: 'unavailable' } as const
  return fromRow(await insert(tx, scope, given, { ...notIssued, ...pending, domain_names, type: 'managed' }))
}

async function insert(
  tx: Transaction,
  scope: ProjectScope,
  { name, labels }: NewCertificate,
  columns: Omit<CertificateRow, 'id' | 'project_id' | 'name' | 'labels' | 'created' | 'version'>,
): Promise<CertificateRow> {
  const id = await drawId(tx)
  const own = { id, project_id: scope.projectId, name, labels: JSON.stringify(labels) }
  const row: CertificateRow = { ...own, ...columns, created: timestamp(tx.now), version: 1 }
  await insertNamed(tx, 'certificate', row, nameTaken)
  await indexLabels(tx, scope, { kind: 'certificate', id }, labels, {})
  return row
}

/** Keeps the private key of a certificate, sealed, in place of the one before it. */
export async function putKey(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  privateKey: string,
): Promise<void> {
  const private_key = await secrets.seal(tx, scope, keyPlace(id), privateKey)
  await tx.query
    .insertInto('certificate_key')
    .values({ certificate_id: id, project_id: scope.projectId, private_key })
    .onConflict((conflict) => conflict.column('certificate_id').doUpdateSet({ private_key }))
    .execute()
}

/** Writes name and labels over the version that was read. Errors: `uniqueness_error`. */
export async function updateCertificate(
  tx: Transaction,
  scope: ProjectScope,
  before: Certificate,
  change: { name: string; labels: Labels },
): Promise<Certificate | typeof changedMeanwhile> {
  const row = await refusingTakenNames(
    () => replaceVersion<CertificateRow>(tx, scope, 'certificate', before, change),
    nameTaken,
  )
  return row === changedMeanwhile ? row : fromRow(row)
}

/**
 * Deletes a certificate and its private key; whoever deletes it has ended its order. Errors: `not_found`; `service_error`
 * while something uses it.
 */
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
  const isNext = after
    ? sql<boolean>`(not_valid_after, id) > (${after.notValidAfter}, ${after.id})`
    : sql<boolean>`not_valid_after > ${timestamp(nowMs)}`
  const rows = await query
    .selectFrom('certificate')
    .select(['id', 'project_id', 'name', 'domain_names', 'fingerprint', 'not_valid_after'])
    .where('type', '=', sql<'uploaded'>`'uploaded'`)
    .where('not_valid_after', '<=', timestamp(nowMs + firstNoticeMs))
    .where(isNext)
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
