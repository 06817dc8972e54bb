/** Rows of console sessions. */
import type { ProjectId } from '../../../kernel/scope.ts'
import type { SealedColumn } from '../../../kernel/secrets/secrets.ts'

/** A console that was asked for and that nobody has opened yet. */
export interface ConsoleSessionRow {
  /** The id of the action that asked for it. */
  readonly id: number
  readonly project_id: ProjectId
  readonly server_id: number
  readonly token_hash: string
  /** Sealed. */
  readonly password: string
  readonly expires: string
  /** Who asked for it, as JSON; null in rows of an earlier version. */
  readonly asker: string | null
}

/** Where the passwords of consoles are sealed. */
export const consolePasswords: SealedColumn = { table: 'console_session', column: 'password', key: 'id' }

declare module '../../../kernel/data/db.ts' {
  interface TenantTables {
    console_session: ConsoleSessionRow
  }
}
