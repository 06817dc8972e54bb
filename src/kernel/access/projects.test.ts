import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forDatabasesInTurn, forEachDatabase } from '../../../test/kit/harness.ts'
import { timestamp } from '../process/clock.ts'
import type { ProjectId } from '../scope.ts'
import { createProject, defaultProject, findProject, markDefault, projectName } from './projects.ts'
import { giveToken, TokenTaken } from './tokens.ts'

forDatabasesInTurn('the name of a Project', (open) => {
  test('is found by its id, which is how requests know it', async () => {
    const { db } = await open()
    for (const name of ['first', 'second']) {
      const project = await findProject(db.query, name)
      assert.ok(project)
      assert.equal(await projectName(db.query, { projectId: project.id }), name)
    }
    assert.equal(await projectName(db.query, { projectId: 4_000_000_000_000_000 as ProjectId }), undefined)
  })
})

forEachDatabase('the Project of the options', (open) => {
  test('is marked, whatever it is called, and has one token that the operator sets', async () => {
    const world = await open({ runActions: false, alone: true })
    const { db } = world
    const created = timestamp(world.clock.now())
    const { id } = await db.transact((tx) => createProject(tx, 'marked', created))
    await db.transact((tx) => markDefault(tx, { projectId: id }))
    assert.equal((await defaultProject(db.query))?.id, id)
    const give = (token: string, projectId = id) => db.transact((tx) => giveToken(tx, { projectId }, token, created))
    const [first, second] = ['1'.repeat(64), '2'.repeat(64)]
    assert.deepEqual([await give(first), await give(first), await give(second)], [true, false, true])
    assert.equal((await world.client(first).get('/servers')).status, 401)
    assert.equal((await world.client(second).get('/servers')).status, 200)
    const other = await db.transact((tx) => createProject(tx, 'other', created))
    await assert.rejects(give(second, other.id), TokenTaken)
  })
})
