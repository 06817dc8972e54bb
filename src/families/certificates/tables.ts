/** Rows of certificates. */
import type { ProjectId } from '../../kernel/scope.ts'

export interface CertificateRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly type: 'uploaded'
  readonly certificate: string
  readonly domain_names: string
  readonly fingerprint: string
  readonly not_valid_before: string
  readonly not_valid_after: string
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
  readonly type: 'load_balancer'
  readonly resource_id: number
}

declare module '../../kernel/db.ts' {
  interface Tables {
    certificate: CertificateRow
    certificate_key: CertificateKeyRow
    certificate_use: CertificateUseRow
  }
}
