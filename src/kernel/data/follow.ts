/** The events that somebody hears who follows the lives of resources (resource/lives.ts). */
import type { AuditActor } from '../audit/note.ts'
import type { ProjectId } from '../scope.ts'

/** The columns of a resource, or those of them that were written. */
export type Columns = Readonly<Record<string, unknown>>

export interface Subject {
  readonly type: string
  readonly id: number
}

/** The times are those of transactions, in milliseconds since the epoch. */
export type LifeEvent = { readonly atMs: number } & (
  | (Subject & {
      readonly kind: 'began'
      readonly projectId: ProjectId
      /** Missing for what no request has made. */
      readonly by: AuditActor | undefined
      readonly columns: Columns
    })
  | (Subject & { readonly kind: 'changed'; readonly columns: Columns })
  | (Subject & { readonly kind: 'ended' })
  /** All resources of a Project have ended. */
  | { readonly kind: 'emptied'; readonly projectId: ProjectId }
)

export type Follow = (event: LifeEvent) => void
