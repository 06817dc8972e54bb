/** Rows of certificates. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { SealedColumn } from '../../kernel/secrets/secrets.ts'
import type { CertificateStatus, CertificateType, CertificateUser } from './domain.ts'

/** Columns that may be null are null before a certificate is issued, or because it is uploaded. */
export interface CertificateRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly type: CertificateType
  /** The chain in PEM. */
  readonly certificate: string | null
  readonly domain_names: string
  readonly fingerprint: string | null
  readonly not_valid_before: string | null
  readonly not_valid_after: string | null
  readonly labels: string
  readonly created: string
  readonly version: number
  /** Null for uploaded certificates, like all columns that follow except `failures`. */
  readonly issuance: CertificateStatus['issuance'] | null
  readonly renewal: CertificateStatus['renewal'] | null
  readonly error_code: string | null
  readonly error_message: string | null
  /** Renewals that failed since the last success. */
  readonly failures: number
  /** When the renewal is looked at next, and when it begins, in the clock's milliseconds. */
  readonly schedule_at: number | null
  readonly renew_at: number | null
  /** When the authority is next asked when to renew, in the clock's milliseconds. */
  readonly hint_at: number | null
}

/** The private key of a certificate, sealed. It has a table of its own so that no list ever reads it. */
export interface CertificateKeyRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly private_key: string
}

/** Where private keys are sealed. */
export const privateKeys: SealedColumn = { table: 'certificate_key', column: 'private_key', key: 'certificate_id' }

/** A resource that uses a certificate. */
export interface CertificateUseRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly type: CertificateUser['type']
  readonly resource_id: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    certificate: CertificateRow
    certificate_key: CertificateKeyRow
    certificate_use: CertificateUseRow
  }
}

export const certificateLocks: Locks = {
  order: [
    ['certificate', 'zone'],
    ['certificate', 'key secrets'],
  ],
  belonging: {
    certificate_key: 'the certificate',
    certificate_order: 'the certificate',
    certificate_use: 'what uses the certificate',
  },
}
