/** Rows of the orders of managed certificates. */
import type { ProjectId } from '../../../kernel/scope.ts'
import type { SealedColumn } from '../../../kernel/secrets/secrets.ts'

/** An open order at the certificate authority, with the sealed private key of the certificate to come. */
export interface CertificateOrderRow {
  readonly certificate_id: number
  readonly project_id: ProjectId
  readonly url: string
  /** JSON: the challenges that were placed, each with its zone. */
  readonly challenges: string
  readonly private_key: string
}

/** Where the keys of certificates to come are sealed. */
export const orderKeys: SealedColumn = { table: 'certificate_order', column: 'private_key', key: 'certificate_id' }

declare module '../../../kernel/data/db.ts' {
  interface TenantTables {
    certificate_order: CertificateOrderRow
  }
}
