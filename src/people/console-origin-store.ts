/** Where people find the console, for links that are made beside the server. The server that started last says it for all. */
import type { Database, Queries } from '../kernel/data/db.ts'

interface ConsoleOriginRow {
  /** Always 1. */
  readonly id: number
  readonly origin: string
}

declare module '../kernel/data/db.ts' {
  interface Tables {
    console_origin: ConsoleOriginRow
  }
}

/** Notes the origin of a server that starts, such as `http://127.0.0.1:8080`. */
export async function noteConsoleOrigin(db: Database, origin: string): Promise<void> {
  await db.transact(({ query }) =>
    query
      .insertInto('console_origin')
      .values({ id: 1, origin })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ origin }))
      .execute(),
  )
}

/** The origin that was noted last; undefined before the first start of a version that does. */
export async function findConsoleOrigin(query: Queries): Promise<string | undefined> {
  return (await query.selectFrom('console_origin').select('origin').executeTakeFirst())?.origin
}
