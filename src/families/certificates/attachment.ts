/**
 * What uses certificates and belongs to another family. Each family says here, as a value of its own, how it follows a
 * certificate that is another one now. The list of them is attachments.ts.
 */
import type { Transaction } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { CertificateUser } from './domain.ts'

export interface UserKind {
  readonly type: CertificateUser['type']
  /** Takes the new chain of a certificate into use in some resources. */
  follow(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void>
}
