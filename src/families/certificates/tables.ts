/** Rows of certificates. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'
import type { CertificateStatus, CertificateType, CertificateUser } from './domain.ts'

export interface CertificateRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly type: CertificateType
  readonly certificate: string | null
  readonly domain_names: string
  readonly fingerprint: string | null
  readonly not_valid_before: string | null
  readonly not_valid_after: string | null
  readonly labels: string
  readonly created: string
  readonly version: number
  /** Null of uploaded ones, as is all that follows but the failures. */
  readonly issuance: CertificateStatus['issuance'] | null
  readonly renewal: CertificateStatus['renewal'] | null
  readonly error_code: string | null
  readonly error_message: string | null
  /** Renewals that failed since the last one that did not. */
  readonly failures: number
  /** When its renewal is looked at next, and when it begins, in the clock's milliseconds. */
  readonly schedule_at: number | null
  readonly renew_at: number | null
  /** When the authority is next asked for the time of the renewal. */
  readonly hint_at: number | null
}

/** An order that is open at the certificate authority, with the key that the certificate will have, sealed. */
export interface CertificateOrderRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly url: string
  /** JSON: what is placed in which zone. */
  readonly challenges: string
  readonly private_key: string
}

/** The private key of a certificate, sealed; apart from it, so that no list ever reads it. */
export interface CertificateKeyRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly private_key: string
}

/** A resource that uses a certificate. */
export interface CertificateUseRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly type: CertificateUser['type']
  readonly resource_id: number
}

declare module '../../kernel/data/db.ts' {
  interface Tables {
    certificate: CertificateRow
    certificate_key: CertificateKeyRow
    certificate_order: CertificateOrderRow
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
