import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { olderProject, run } from '../../../test/kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../../../test/kit/database/postgres.ts'
import { engines, testClock } from '../../../test/kit/harness.ts'
import { parseDatabaseUrl } from '../../kernel/data/dialect.ts'
import { migrate } from '../../kernel/data/migrate.ts'
import { openDatabase } from '../../kernel/data/open.ts'
import { imageRemovals } from '../../migrations/0018-image-removals.ts'
import { migrations } from '../../migrations/index.ts'
import { pendingRemovals } from './host.ts'
import { images } from './store.ts'

after(closeAdmin)

for (const engine of engines) {
  test(`images deleted by an older version stay deleted, and their data is still removed, on ${engine}`, async (t) => {
    const created = '2026-11-21T12:00:00Z'
    const made =
      engine === 'postgres' ? await createDatabase(await postgresUrl()) : { url: 'memory', drop: () => undefined }
    const db = await openDatabase(parseDatabaseUrl(made.url)!, { clock: testClock() })
    t.after(async () => {
      await db.close()
      await made.drop()
    })
    await migrate(db, migrations.slice(0, migrations.indexOf(imageRemovals)))
    const projectId = await olderProject(db, created)
    for (const [id, status] of [
      [1, 'deleted'],
      [2, 'available'],
    ]) {
      await run(
        db,
        `insert into image values (${id}, ${projectId}, 'snapshot', '${status}', 'copy', 100, 20, '${created}', 7, 'web',
         null, 'debian', '12', 'x86', 0, '{}', 1)`,
      )
    }
    await migrate(db, migrations)
    const scope = { projectId }
    assert.deepEqual(await pendingRemovals(db.query, 0, 10), [{ id: 1, serverId: 7, scope }])
    const kept = await images.byIds(db.query, scope, [1, 2])
    assert.deepEqual(
      kept.map(({ id, status }) => [id, status]),
      [[2, 'available']],
    )
  })
}
