/** Certificates in the database, with their private keys and their uses. */
import type { Queries, Transaction } from '../../kernel/data/db.ts'
import { databaseFailure } from '../../kernel/data/dialect.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import { rowsBelow } from '../../kernel/data/steps.ts'
import { ApiError, notFound } from '../../kernel/errors.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { SecretPlace, Secrets } from '../../kernel/secrets/secrets.ts'
import { spelling } from './contract.ts'
import type { Certificate, CertificateFacts, CertificateStatus, CertificateUser, KeyPair } from './domain.ts'
import { type CertificateRow, privateKeys } from './tables.ts'

function statusOf({ issuance, renewal, error_code, error_message }: CertificateRow): CertificateStatus | null {
  if (issuance === null || renewal === null) return null
  return { issuance, renewal, error: error_code === null ? null : { code: error_code, message: error_message ?? '' } }
}

/** A row as a certificate. */
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

export const certificates = defineResource({
  ...spelling,
  fromRow,
  unique: { name: nameTaken('certificate name is already used') },
})

/** The columns that say what a chain and its leaf are. */
export function issuedColumns(chain: string, facts: CertificateFacts) {
  return {
    certificate: chain,
    domain_names: JSON.stringify(facts.domainNames),
    fingerprint: facts.fingerprint,
    not_valid_before: facts.notValidBefore,
    not_valid_after: facts.notValidAfter,
  }
}

/**
 * Deletes a certificate that the caller has locked, with its private key. An order must have been ended before. Errors:
 * `service_error` while something uses the certificate.
 */
export async function deleteCertificate(tx: Transaction, scope: ProjectScope, certificate: Certificate): Promise<void> {
  await scoped(tx.query, scope).deleteFrom('certificate_key').where('certificate_id', '=', certificate.id).execute()
  try {
    await certificates.remove(tx, scope, certificate)
  } catch (error) {
    // Uses reference the certificate, so the database also sees a rival that begins to use it at this moment.
    if (databaseFailure(error)?.kind !== 'foreign_key') throw error
    throw new ApiError('service_error', 'certificate still in use')
  }
}

// ---- Private keys --------------------------------------------------------------------------------------------------

const keyPlace = (id: number): SecretPlace => ({ ...privateKeys, id })

/** Stores the private key of a certificate, sealed, and replaces the previous one. */
export async function putKey(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
  privateKey: string,
): Promise<void> {
  const private_key = await secrets.seal(tx, scope, keyPlace(id), privateKey)
  await scoped(tx.query, scope)
    .insertInto('certificate_key', [{ certificate_id: id, private_key }])
    .onConflict((conflict) => conflict.column('certificate_id').doUpdateSet({ private_key }))
    .execute()
}

/** A certificate with its private key, for the component that serves with it; undefined before it is issued. */
export async function findKeyPair(
  query: Queries,
  secrets: Secrets,
  scope: ProjectScope,
  id: number,
): Promise<KeyPair | undefined> {
  // One statement reads both, because a renewal replaces both at once.
  const row = await scoped(query, scope)
    .selectFrom('certificate', 'certificate_key')
    .select(['certificate.certificate', 'certificate_key.private_key'])
    .whereRef('certificate_key.certificate_id', '=', 'certificate.id')
    .where('certificate.id', '=', id)
    .executeTakeFirst()
  if (!row || row.certificate === null) return undefined
  return { certificate: row.certificate, privateKey: await secrets.open(query, scope, keyPlace(id), row.private_key) }
}

// ---- Which resource uses which certificate -------------------------------------------------------------------------

/** The users of each of some certificates; certificates without users are missing. */
export async function usersOf(
  query: Queries,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CertificateUser[]>> {
  const users = new Map<number, CertificateUser[]>()
  await rowsBelow(query, scope, usesBelow, ids, (rows) => {
    for (const { certificate_id, type, resource_id: id } of rows) {
      const some = users.get(certificate_id)
      if (some) some.push({ type, id })
      else users.set(certificate_id, [{ type, id }])
    }
  })
  return users
}

const usesBelow = { table: 'certificate_use', parent: 'certificate_id', order: ['type', 'resource_id'] } as const

/** Makes a resource use exactly these certificates. Errors: `not_found`. */
export async function replaceUses(
  tx: Transaction,
  scope: ProjectScope,
  user: CertificateUser,
  certificateIds: readonly number[],
): Promise<void> {
  const ids = [...new Set(certificateIds)].sort((a, b) => a - b)
  // Held first: whoever deletes one waits for the uses that go here, while those that come would wait for him.
  const held = await certificates.hold(tx, scope, ids)
  const missing = ids.find((id) => !held.has(id))
  if (missing !== undefined) throw notFound('certificate', missing)
  await scoped(tx.query, scope)
    .deleteFrom('certificate_use')
    .where('type', '=', user.type)
    .where('resource_id', '=', user.id)
    .execute()
  const rows = ids.map((id) => ({ certificate_id: id, type: user.type, resource_id: user.id }))
  if (rows.length > 0) await scoped(tx.query, scope).insertInto('certificate_use', rows).execute()
}
