import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompiledQuery, sql } from 'kysely'
import { type BareDatabase, forEachBareDatabase, run } from '../../../test/kit/database/bare-database.ts'
import { watchDatabase } from '../../../test/kit/database/watched-database.ts'
import type { Sort } from '../contract/contract.ts'
import type { Database } from '../data/db.ts'
import { acrossProjects } from '../data/scoped.ts'
import { fileAllActions, removeOldActions } from './expiry.ts'
import { actionsByIds, enterHistory, historyStart, noteEnded, pageOfActions } from './history.ts'
import type { Action, ActionStatus } from './tables.ts'

const dayMs = 24 * 3_600_000
const now = Date.parse('2026-11-21T12:00:00Z')
const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const everything = ''

/** A number that looks random, from 0 to below `most`. */
const spread = (i: number, most: number) => (Math.imul(i + 1, 2_654_435_761) >>> 8) % most

function makeAction(projectId: Action['project_id'], i: number, change: Partial<Action> = {}): Action {
  const status = (['success', 'success', 'success', 'error', 'running'] as const)[spread(i, 5)]!
  const started = at(now - spread(i, 50) * 1_000)
  return {
    id: i + 1,
    project_id: projectId,
    definition: 'things/x',
    command: ['start_thing', 'stop_thing', 'create_thing'][spread(i, 3)]!,
    status,
    progress: status === 'success' ? 100 : 0,
    started,
    finished: status === 'running' ? null : at(Date.parse(started) + spread(i, 20) * 1_000),
    error_code: null,
    error_message: null,
    input: '{}',
    resources: [
      { type: 'thing', id: 1 + spread(i, 3) },
      { type: 'thing', id: 1 + spread(i, 4) },
      { type: 'other', id: 7 },
    ],
    step: 0,
    phase: 'forward',
    worker: null,
    lease_until: null,
    fence: 0,
    attempts: 0,
    run_after: 0,
    traceparent: null,
    ...change,
  }
}

const fourth = (id: number) => id % 4 === 0

/** Inserts actions; one in four has no entries yet unless told otherwise: it makes no difference to whoever reads. */
async function insert({ db }: BareDatabase, actions: readonly Action[], isUnfiled = fourth): Promise<void> {
  await db.transact(async (tx) => {
    const rows = actions.map((action) => ({ ...action, resources: JSON.stringify(action.resources) }))
    for (let i = 0; i < rows.length; i += 500) {
      await acrossProjects(tx.query)
        .insertInto('action')
        .values(rows.slice(i, i + 500))
        .execute()
    }
    const ended = actions.filter(({ status }) => status !== 'running')
    await enterHistory(
      tx,
      ended.filter(({ id }) => !isUnfiled(id)),
    )
    await noteEnded(
      tx,
      ended.filter(({ id }) => isUnfiled(id)),
    )
  })
}

const fields = ['id', 'command', 'status', 'started', 'finished'] as const
const sorts: (readonly Sort[])[] = [
  [],
  ...fields.flatMap((field) => [false, true].map((descending) => [{ field, descending }])),
  [
    { field: 'status', descending: true },
    { field: 'started', descending: false },
  ],
  [
    { field: 'command', descending: false },
    { field: 'finished', descending: true },
    { field: 'id', descending: false },
  ],
]
const statusFilters: (readonly ActionStatus[] | undefined)[] = [
  undefined,
  ['running'],
  ['error'],
  ['success', 'running'],
]

/** The index that each order has to use. */
const indexes = {
  id: /action_history_pkey|PRIMARY KEY/,
  status: /action_history_pkey|PRIMARY KEY/,
  command: /action_history_by_command/,
  started: /action_history_by_start/,
  finished: /action_history_by_end/,
}

/** Sorts the expected list in another way than the databases do. */
function expected(actions: readonly Action[], sort: readonly Sort[]): Action[] {
  const keys = [...sort, { field: 'id', descending: sort.at(-1)?.descending ?? false }]
  const compare = (a: Action, b: Action) => {
    for (const { field, descending } of keys) {
      const [x, y] = [a, b].map((action) => action[field as 'id'] ?? 'never') as [number, number]
      if (x !== y) return (x < y ? -1 : 1) * (descending ? -1 : 1)
    }
    return 0
  }
  return [...actions].sort(compare)
}

/** A handle on a database on which `step` runs after the n-th read; `step` is told n, counted from 0. */
function afterEachRead(db: Database, step: (read: number) => Promise<unknown>): Database {
  let reads = 0
  const query = db.query.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await step(reads++)
      return result
    },
  })
  return Object.create(db, { query: { value: query } }) as Database
}

/** Runs `work` and returns how the database goes about each of its reads. */
async function plansOf(db: Database, isSqlite: boolean, work: (db: Database) => Promise<unknown>): Promise<string[]> {
  const statements: CompiledQuery[] = []
  const { query } = db
  await work(watchDatabase(db, () => ({}), { before: (statement) => void statements.push(statement) }))
  const explain = isSqlite ? 'explain query plan ' : 'explain '
  return Promise.all(
    statements.map(async ({ sql: statement, parameters }) => {
      const { rows } = await query.executeQuery(CompiledQuery.raw(explain + statement, [...parameters]))
      return rows.map((row) => JSON.stringify(row)).join('\n')
    }),
  )
}

forEachBareDatabase('the history of actions', (open, engineName) => {
  test('is listed in every order, with every status, in pages that join without a gap', async () => {
    const bare = await open()
    const actions = Array.from({ length: 120 }, (_, i) => makeAction(bare.scope.projectId, i))
    await insert(bare, actions)
    for (const sort of sorts) {
      for (const statuses of statusFilters) {
        for (const resourceId of [undefined, 2]) {
          const of = { type: 'thing', resourceId, statuses, since: everything }
          const passing = actions.filter(
            ({ status, resources }) =>
              (statuses?.includes(status) ?? true) &&
              resources.some(({ type, id }) => type === 'thing' && (resourceId ?? id) === id),
          )
          const wanted = expected(passing, sort).map(({ id }) => id)
          const shown: number[] = []
          for (let page = 1; ; page++) {
            const found = await pageOfActions(bare.db, bare.scope, of, { page, per_page: 25, sort })
            shown.push(...found.slice(0, 25).map(({ id }) => id))
            if (found.length <= 25) break
          }
          assert.deepEqual(shown, wanted, JSON.stringify({ sort, statuses, resourceId }))
        }
      }
    }
  })

  test('has entries for all but a few as soon as somebody reads it, and by the clock for all', async () => {
    const bare = await open()
    const actions = Array.from({ length: 450 }, (_, i) =>
      makeAction(bare.scope.projectId, i, { status: 'success', finished: at(now) }),
    )
    const unfiled = async () =>
      (await acrossProjects(bare.db.query).selectFrom('action_unfiled').select('action_id').execute()).length
    const of = { type: 'thing', since: everything }
    const list = () => pageOfActions(bare.db, bare.scope, of, { page: 1, per_page: 25, sort: [] })
    await insert(bare, actions.slice(0, 40))
    await list()
    assert.equal(await unfiled(), 10)
    await insert(bare, actions.slice(40), () => true)
    assert.equal((await list()).length, 26)
    assert.equal(await unfiled(), 0)
    const last = makeAction(bare.scope.projectId, 450, { status: 'error', finished: at(now) })
    await insert(bare, [last], () => true)
    assert.equal(await unfiled(), 1)
    await fileAllActions(bare.db)
    assert.equal(await unfiled(), 0)
    assert.equal((await pageOfActions(bare.db, bare.scope, of, { page: 10, per_page: 50, sort: [] })).length, 1)
  })

  test('shows an action that ends while it is read, whichever read that falls behind', async () => {
    const bare = await open()
    const of = { type: 'thing', since: everything }
    const page = { page: 1, per_page: 25, sort: [] }
    let reads = 0
    for (let id = 1; reads === 0 || id <= reads + 1; id++) {
      const action = makeAction(bare.scope.projectId, id - 1, { status: 'running', finished: null })
      await insert(bare, [action])
      const end = () =>
        bare.db.transact(async (tx) => {
          const change = { status: 'success', finished: at(now) } as const
          await acrossProjects(tx.query).updateTable('action').set(change).where('id', '=', id).execute()
          await noteEnded(tx, [{ ...action, ...change }])
        })
      const racing = afterEachRead(bare.db, async (read) => {
        reads = Math.max(reads, read + 1)
        if (read === id - 1) await end()
      })
      const shown = (await pageOfActions(racing, bare.scope, of, page)).map((found) => found.id)
      assert.deepEqual(
        shown,
        Array.from({ length: id }, (_, i) => i + 1),
      )
    }
    assert.ok(reads >= 3)
  })

  test('is found by ids whatever it names, and never in another Project', async () => {
    const bare = await open()
    const actions = Array.from({ length: 5 }, (_, i) => makeAction(bare.scope.projectId, i))
    await insert(bare, actions)
    const of = (filter: object) => actionsByIds(bare.db.query, bare.scope, [5, 2, 9], { since: everything, ...filter })
    assert.deepEqual(await of({}), [actions[1], actions[4]])
    assert.deepEqual(await of({ type: 'nothing' }), [])
    const elsewhere = { projectId: (bare.scope.projectId + 1) as Action['project_id'] }
    assert.deepEqual(await actionsByIds(bare.db.query, elsewhere, [1, 2], { since: everything }), [])
  })

  test('is walked by an index in every order, however long it is', async () => {
    const bare = await open()
    const isSqlite = engineName === 'sqlite'
    await insert(
      bare,
      Array.from({ length: 3_000 }, (_, i) =>
        makeAction(bare.scope.projectId, i, { started: at(now - i * 1_000), finished: at(now), status: 'success' }),
      ),
    )
    // SQLite is never told what is in its tables.
    if (!isSqlite) await run(bare.db, 'analyze action, action_history, action_unfiled')
    const of = { type: 'thing', resourceId: 2, since: historyStart(now) }
    for (const field of fields) {
      for (const descending of [false, true]) {
        const page = { page: 1, per_page: 25, sort: [{ field, descending }] }
        const plans = await plansOf(bare.db, isSqlite, (db) => pageOfActions(db, bare.scope, of, page))
        const walk = plans.find((plan) => plan.includes('action_history'))
        assert.match(walk ?? '', indexes[field], `${field}\n${walk}`)
        for (const plan of plans) assert.doesNotMatch(plan, /Seq Scan|Bitmap|SCAN action/, `${field}\n${plan}`)
      }
    }
  })

  test('goes in small steps when it is older than 90 days; what still runs stays', async () => {
    const bare = await open()
    const old = at(now - 91 * dayMs)
    const oldOnes = Array.from({ length: 450 }, (_, i) =>
      makeAction(bare.scope.projectId, i, { started: old, status: i === 3 ? 'running' : 'success', finished: old }),
    )
    const recent = Array.from({ length: 10 }, (_, i) =>
      makeAction(bare.scope.projectId, 450 + i, { started: at(now - 89 * dayMs), status: 'error', finished: at(now) }),
    )
    await insert(bare, [...oldOnes, ...recent])
    const deletions: number[] = []
    const counted = Object.create(bare.db, {
      transact: {
        async value(work: Parameters<typeof bare.db.transact>[0]) {
          const before = await count()
          const result = await bare.db.transact(work)
          deletions.push(before - (await count()))
          return result
        },
      },
    })
    const count = async () => (await sql`select id from action`.execute(bare.db.query)).rows.length
    while (await removeOldActions(counted, { now: () => now }));
    assert.equal(
      deletions.reduce((sum, one) => sum + one, 0),
      449,
    )
    assert.ok(Math.max(...deletions) <= 50)
    const left = await acrossProjects(bare.db.query).selectFrom('action').select('id').orderBy('id').execute()
    assert.deepEqual(
      left.map(({ id }) => id),
      [4, ...recent.map(({ id }) => id)],
    )
    await fileAllActions(bare.db)
    const entries = await acrossProjects(bare.db.query)
      .selectFrom('action_history')
      .select('action_id')
      .distinct()
      .execute()
    assert.deepEqual(entries.map(({ action_id }) => action_id).sort(), recent.map(({ id }) => id).sort())
    assert.equal(historyStart(now), at(now - 90 * dayMs))
  })
})
