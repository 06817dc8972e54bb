/** The reset of a Project with something of every family. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { checkConsistency } from '../kit/consistency.ts'
import { engines, forEachDatabase } from '../kit/harness.ts'
import { fill, fillWhole, frozen } from './kit.ts'
import { objectsOf, projectsOf, rowsOf } from './projects.ts'

forEachDatabase(
  'The reset of a full Project',
  (open) => {
    test('leaves what it had when it was made, of every table, and all of its neighbour', async () => {
      const world = await open({ lab: frozen(), alone: true })
      const { first, second, reset } = await projectsOf(world)
      const fresh = await rowsOf(world, first)
      await fill({ ...world, api: world.foreign })
      await world.settle()
      const [beside, around] = [await rowsOf(world, second), objectsOf(world)]
      await fillWhole(world)
      assert.ok(Object.keys(await rowsOf(world, first)).length > 25)
      assert.equal((await reset(first)).status, 204)
      assert.deepEqual(await rowsOf(world, first), fresh)
      assert.deepEqual(await rowsOf(world, second), beside)
      assert.deepEqual(objectsOf(world), around)
      const { rows } = await sql`select 1 from action_serial`.execute(world.db.query)
      assert.equal(rows.length, 0)
      await checkConsistency(world)
      await fill(world)
      await world.settle()
      await checkConsistency(world)
    })
  },
  engines.filter((name) => name === 'sqlite'),
)
