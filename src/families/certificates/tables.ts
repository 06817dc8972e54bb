/** Rows of certificates. */
import type { ProjectId } from '../../kernel/scope.ts'
import type { CertificateType, CertificateUser } from './domain.ts'

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

declare module '../../kernel/db.ts' {
  interface Tables {
    certificate: CertificateRow
    certificate_key: CertificateKeyRow
    certificate_use: CertificateUseRow
  }
}
