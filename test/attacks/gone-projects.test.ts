/** Projects that are named where there is none, or that are deleted while something is written into them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { deleteProject, getProject } from '../../src/kernel/access/projects.ts'
import type { Database } from '../../src/kernel/data/db.ts'
import { emptyProject, manager } from '../../src/management/proof.ts'
import { until } from '../bare-database.ts'
import { forEachDatabase, type World } from '../harness.ts'
import { nothingIn, type OwnPlace, type OwnRow, ownPlaceIn, ownRequest, ownRows } from '../own-requests.ts'
import { neverExisted } from '../proof.ts'
import { assertRefused } from '../refusals.ts'
import { each } from '../requests.ts'

const naming = ownRows.filter(({ endpoint: { path } }) => path.includes('{project_id}'))

async function ask(world: World, row: OwnRow, place: OwnPlace) {
  const { path, body } = ownRequest(row, place)
  const api = await manager(world)
  const url = `${new URL(world.baseUrl).origin}${row.base}${path}`
  return api.request(row.endpoint.method, url, body === undefined ? {} : { body })
}

/** Deletes a Project as the API does, but for the commit, which waits for the function that is returned. */
async function beginDeletion({ db }: World, project: Awaited<ReturnType<typeof emptyProject>>) {
  const [deleted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const held: Pick<Database, 'transact'> = {
    transact: (work, options) =>
      db.transact(async (tx) => {
        const result = await work(tx)
        deleted.resolve()
        await released.promise
        return result
      }, options),
  }
  const row = await getProject(db.query, { projectId: project })
  const deletion = deleteProject(held as Database, row)
  await deleted.promise
  return async () => {
    released.resolve()
    assert.ok(await deletion)
  }
}

/** Whether a request waits for the rows of another transaction. */
async function isWaiting({ db }: World): Promise<boolean> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'
  `.execute(db.query)
  return Number(rows[0]!.waiting) > 0
}

forEachDatabase('a Project', (open, engineName) => {
  test('that is missing is not found by whatever names it, also by those who may name any', async () => {
    const world = await open({ runActions: false })
    assert.ok(naming.length > 15)
    await each(naming, async (row) => {
      const answer = await ask(world, row, nothingIn(neverExisted))
      assertRefused(answer, 'not_found')
      assert.match(answer.body.error.message, new RegExp(`Project.*${neverExisted}`))
    })
  })

  test('that is deleted meanwhile is not found by whatever is written into it', async () => {
    // On one file, one writes after the other.
    if (engineName === 'sqlite') return
    const world = await open({ runActions: false })
    const writing = naming.filter(({ endpoint }) => endpoint.method !== 'GET')
    await each(writing, async (row) => {
      const project = await emptyProject(world)
      const place = await ownPlaceIn(world, project)
      const finish = await beginDeletion(world, project)
      let isAnswered = false
      const pending = ask(world, row, place).finally(() => {
        isAnswered = true
      })
      await until(async () => isAnswered || (await isWaiting(world)), 'the request is answered, or waits')
      await finish()
      const answer = await pending
      // Who deletes it as well gets what was asked for.
      if (row.endpoint.method === 'DELETE' && row.endpoint.path.endsWith('{project_id}')) {
        assert.equal(answer.status, 204, answer.text)
      } else assertRefused(answer, 'not_found')
    })
  })
})
