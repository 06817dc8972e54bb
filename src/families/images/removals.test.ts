import assert from 'node:assert/strict'
import { testOlder } from '../../../test/kit/database/older-database.ts'
import { imageRemovals } from '../../migrations/0018-image-removals.ts'
import { pendingRemovals } from './host.ts'
import { images } from './store.ts'

testOlder(
  'images deleted by an older version stay deleted, and their data is still removed',
  imageRemovals,
  async ({ db, projectId, created, write, upgrade }) => {
    for (const [id, status] of [
      [1, 'deleted'],
      [2, 'available'],
    ]) {
      await write(
        `insert into image values (${id}, ${projectId}, 'snapshot', '${status}', 'copy', 100, 20, '${created}', 7, 'web',
         null, 'debian', '12', 'x86', 0, '{}', 1)`,
      )
    }
    await upgrade()
    const scope = { projectId }
    assert.deepEqual(await pendingRemovals(db.query, 0, 10), [{ id: 1, serverId: 7, scope }])
    const kept = await images.byIds(db.query, scope, [1, 2])
    assert.deepEqual(
      kept.map(({ id, status }) => [id, status]),
      [[2, 'available']],
    )
  },
)
