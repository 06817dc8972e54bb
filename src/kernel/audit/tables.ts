/** The rows of the audit log. */
import type { ProjectId } from '../scope.ts'
import type { AuditActor } from './note.ts'

export interface AuditRow {
  readonly id: number
  readonly time: string
  readonly actor: AuditActor['kind']
  readonly actor_id: number | null
  /** The actor's name at that time. */
  readonly actor_name: string
  /** Not a reference: entries outlive their Project. */
  readonly project_id: ProjectId | null
  readonly project_name: string | null
  readonly operation: string
  readonly family: string
  /** JSON array of ids and names. */
  readonly resources: string
  /** JSON array of the ids of the actions that it started. */
  readonly actions: string
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly status: number
  readonly correlation_id: string
  readonly network: string
}

declare module '../data/db.ts' {
  interface TenantTables {
    audit: AuditRow
  }
}
