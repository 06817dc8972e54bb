import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forDatabasesInTurn } from '../../../test/kit/harness.ts'
import type { ProjectId } from '../scope.ts'
import { findProject, projectName } from './projects.ts'

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
