/** Rows of SSH keys. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'

export interface SshKeyRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly fingerprint: string
  readonly public_key: string
  readonly labels: string
  readonly created: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    ssh_key: SshKeyRow
  }
}

export const sshKeyLocks: Locks = {
  order: [['ssh_key']],
}
