/** Uploaded certificates in the database. */
import type { Transaction } from '../../../kernel/data/db.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { Secrets } from '../../../kernel/secrets/secrets.ts'
import type { Certificate, CertificateFacts, KeyPair } from '../domain.ts'
import { certificates, issuedColumns, putKey } from '../store.ts'

export interface NewUpload extends Pick<Certificate, 'name' | 'labels'>, KeyPair {
  readonly facts: CertificateFacts
}

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

/** Adds an uploaded certificate, with its private key sealed. Errors: `uniqueness_error`. */
export async function insertUploaded(
  tx: Transaction,
  secrets: Secrets,
  scope: ProjectScope,
  { name, labels, facts, certificate: chain, privateKey }: NewUpload,
): Promise<Certificate> {
  const columns = { ...notManaged, ...issuedColumns(chain, facts), type: 'uploaded' } as const
  const certificate = await certificates.insert(tx, scope, { name, labels, ...columns })
  await putKey(tx, secrets, scope, certificate.id, privateKey)
  return certificate
}
