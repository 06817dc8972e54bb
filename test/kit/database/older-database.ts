/** Tests of what a migration makes of the rows that an older version wrote. */
import { after, test } from 'node:test'
import { parseDatabaseUrl } from '../../../src/kernel/data/dialect.ts'
import { type Migration, migrate } from '../../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../../src/kernel/data/open.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import { migrations } from '../../../src/migrations/index.ts'
import { engines, testClock } from '../harness.ts'
import { run } from './bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from './postgres.ts'

export interface OlderDatabase {
  readonly db: Awaited<ReturnType<typeof openDatabase>>
  /** A Project of the older version, and when it was created. */
  readonly projectId: ProjectId
  readonly created: string
  /** Runs a statement of the older version. */
  write(statement: string): Promise<unknown>
  /** Brings the database to the version of today. */
  upgrade(): Promise<void>
}

const projectId = 1 as ProjectId

/** Declares a test on each engine, with a database of the version before a migration. */
export function testOlder(title: string, migration: Migration, body: (older: OlderDatabase) => Promise<void>): void {
  after(closeAdmin)
  for (const engine of engines) {
    test(`${title}, on ${engine}`, async (t) => {
      const created = '2026-11-21T12:00:00Z'
      const made =
        engine === 'postgres' ? await createDatabase(await postgresUrl()) : { url: 'memory', drop: () => undefined }
      const db = await openDatabase(parseDatabaseUrl(made.url)!, { clock: testClock() })
      t.after(async () => {
        await db.close()
        await made.drop()
      })
      await migrate(db, migrations.slice(0, migrations.indexOf(migration)))
      // Its table lacks columns of today.
      await run(db, `insert into project (id, name, created) values (${projectId}, 'test', '${created}')`)
      const write = (statement: string) => run(db, statement)
      const upgrade = async () => void (await migrate(db, migrations))
      await body({ db, projectId, created, write, upgrade })
    })
  }
}
