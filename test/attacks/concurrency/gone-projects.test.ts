/** Projects that are named where there is none, or that are deleted while something is written into them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../../src/kernel/data/db.ts'
import { emptyProject, manager } from '../../../src/management/proof.ts'
import { beginDeletion, holdable, untilMet } from '../../kit/database/held.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { nothingIn, type OwnPlace, type OwnRow, ownPlaceIn, ownRequest, ownRows } from '../../kit/own-requests.ts'
import { neverExisted } from '../../kit/proof.ts'
import { assertRefused } from '../../kit/refusals.ts'
import { each } from '../../kit/requests.ts'

const naming = ownRows.filter(({ endpoint: { path } }) => path.includes('{project_id}'))
// This server has no lab, and says so whatever is named.
const writing = naming.filter(({ endpoint, family }) => endpoint.method !== 'GET' && family !== 'lab')

const isDeletion = ({ endpoint: { method, path } }: OwnRow) => method === 'DELETE' && path.endsWith('{project_id}')

/** Asks for what is in a place, as those may who may name any Project. */
async function asker(world: World) {
  const api = await manager(world)
  return (row: OwnRow, place: OwnPlace) => {
    const { path, body } = ownRequest(row, place)
    const url = `${new URL(world.baseUrl).origin}${row.base}${path}`
    return api.request(row.endpoint.method, url, body === undefined ? {} : { body })
  }
}

forEachDatabase('a Project', (open) => {
  test('that is missing is not found by whatever names it, also by those who may name any', async () => {
    const world = await open({ runActions: false })
    const ask = await asker(world)
    assert.ok(naming.length > 15)
    await each(naming, async (row) => {
      const answer = await ask(row, nothingIn(neverExisted))
      assertRefused(answer, 'not_found')
      assert.match(answer.body.error.message, new RegExp(`Project.*${neverExisted}`))
    })
  })

  test('that is deleted meanwhile is not found by whatever is written into it', async () => {
    const world = await open({ runActions: false })
    const ask = await asker(world)
    await each(writing, async (row) => {
      const project = await emptyProject(world)
      const place = await ownPlaceIn(world, project, row)
      const finish = await beginDeletion(world, project)
      const pending = ask(row, place)
      await untilMet(world, pending)
      await finish()
      const answer = await pending
      // Who deletes it as well, and came in time to find it, gets what was asked for.
      if (isDeletion(row) && answer.status === 204) return
      assertRefused(answer, 'not_found')
    })
  })

  test('is deleted with whatever is being written into it', async () => {
    let holding: ReturnType<typeof holdable> | undefined
    const wrapDatabase = (db: Database) => {
      holding = holdable(db)
      return holding.db
    }
    const world = await open({ runActions: false, wrapDatabase })
    const [ask, askBeside] = [await asker(world), await asker(world)]
    const [reading, deleting] = [naming.find(({ key }) => key === 'getProject')!, naming.find(isDeletion)!]
    let held = 0
    await each(
      writing.filter((one) => !isDeletion(one)),
      async (writer) => {
        const place = await ownPlaceIn(world, await emptyProject(world), writer)
        // What it may ask for within the limit of requests is fetched in a transaction too.
        await ask(reading, place)
        const { done, release } = holding!.holdNext()
        const pending = ask(writer, place)
        const isHeld = await Promise.race([done.then(() => true), pending.then(() => false)])
        // What is refused before it writes anything holds nothing.
        if (isHeld) held++
        else release()
        const deletion = askBeside(deleting, place)
        await untilMet(world, deletion)
        release()
        const answer = await deletion
        assert.equal(answer.status, 204, answer.text)
        assert.ok((await pending).status < 500)
      },
    )
    assert.ok(held > 8, `only ${held} were held`)
  })
})
