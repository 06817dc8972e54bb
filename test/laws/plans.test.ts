/** What a statement looks at must not grow with a table, unless the statement says how much it wants. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { schemaTables } from '../kit/database/schema.ts'
import { watchDatabase } from '../kit/database/watched-database.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { actionScenarios } from '../kit/proofs.ts'
import { each, eras, prepare } from '../kit/requests.ts'

/** Tables with few rows by nature: those of the installation, and of what is under way. */
const small = new Set(['address_pool', 'installation_secret', 'key_canary', 'project', 'server_former', 'token'])
/** Indexes and tables of what is under way, from which rows go as it ends. */
const underWay = /^SEARCH (action_unfiled|\w+ USING (COVERING )?INDEX \w+_(running|running_by_project|pending)) /
const tables = new Set(schemaTables().map(({ name }) => name))

/** Whether a line of a plan goes through all rows of a table, or all that a Project has in it. */
function readsAll(line: string): boolean {
  const [, how, table] = /^(SCAN|SEARCH) (\w+)/.exec(line) ?? []
  if (!how || !tables.has(table!) || small.has(table!) || underWay.test(line)) return false
  return how === 'SCAN' || line.endsWith('(project_id=?)')
}

async function plan({ db }: World, statement: string): Promise<string[]> {
  const values = Array((statement.match(/\?/g) ?? []).length).fill(null)
  const explained = CompiledQuery.raw(`explain query plan ${statement}`, values)
  const { rows } = await db.query.executeQuery<{ detail: string }>(explained)
  return rows.map(({ detail }) => detail)
}

async function greedy(world: World, statements: Iterable<string>): Promise<string[]> {
  const found: string[] = []
  for (const statement of statements) {
    const lines = (await plan(world, statement)).filter(readsAll)
    if (lines.length > 0 && !/\blimit\b/.test(statement)) found.push(`${lines.join('; ')}: ${statement}`)
  }
  return found
}

forEachDatabase('plans of statements', (open, engineName) => {
  if (engineName !== 'sqlite') return
  test('no request and no action reads all that a Project or a table has', async () => {
    const statements = new Set<string>()
    let isWatched = false
    const watch = { before: ({ sql }: CompiledQuery) => void (isWatched && statements.add(sql)) }
    const world = await open({ wrapDatabase: (db) => watchDatabase(db, () => watch, watch), runActions: false })
    const watched = async (work: () => Promise<unknown>) => {
      isWatched = true
      await work().finally(() => {
        isWatched = false
      })
    }
    for (const { some, day } of eras) {
      world.clock.set(day)
      await each(some, async (row) => {
        const ready = await prepare(world, row)
        await watched(() => ready.send(world.api))
        await watched(world.settle)
      })
    }
    for (const scenario of Object.values(actionScenarios)) {
      const { act } = await scenario(world)
      await act(world.api)
      await watched(world.settle)
    }
    assert.ok(statements.size > 200, `${statements.size} statements`)
    assert.deepEqual(await greedy(world, statements), [])
  })

  test('a statement that reads too much is found', async () => {
    const world = await open({ runActions: false })
    const statements = [
      'select * from server',
      'select id from volume where project_id = ? and size = ?',
      'select id from volume where project_id = ? and id = ?',
      'select id from volume where project_id = ? order by id limit ?',
    ]
    const found = await greedy(world, statements)
    assert.deepEqual(
      found.map((line) => line.split(': ').at(-1)),
      statements.slice(0, 2),
    )
  })
})
