/** Rows of glossaries. */
import type { Locks } from '../../kernel/data/locks.ts'
import type { ProjectId } from '../../kernel/scope.ts'

export interface GlossaryRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly status: 'draft' | 'published'
  readonly labels: string
  readonly created: string
  readonly version: number
}

declare module '../../kernel/data/db.ts' {
  interface TenantTables {
    glossary: GlossaryRow
  }
}

export const glossaryLocks: Locks = { order: [['glossary']] }
