/**
 * Invariants of every installation: compares the database with itself, with the simulated world and with earlier checks
 * of the same installation. Invariants of a single family are in its `proof.ts`.
 */
import assert from 'node:assert/strict'
import type { Simulation } from '../../src/families.ts'
import type { ActionRow } from '../../src/kernel/actions/tables.ts'
import type { Database, EveryTable } from '../../src/kernel/data/db.ts'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import { checkDumps } from './database/dump.ts'
import { schemaTables } from './database/schema.ts'
import type { World } from './harness.ts'
import type { CheckOptions, Consistency, Row, Snapshot } from './proof.ts'
import { proofs } from './proofs.ts'

/** What earlier checks of an installation saw; processes that share a simulation share it too. */
interface Memory {
  readonly ended: Map<number, string>
  /** Every id ever seen, by path. */
  readonly seen: Map<string, Set<number>>
}

const memories = new WeakMap<Simulation, Memory>()

function memoryOf({ simulation }: World): Memory {
  const known = memories.get(simulation)
  if (known) return known
  const made: Memory = { ended: new Map(), seen: new Map() }
  memories.set(simulation, made)
  return made
}

const checks = [...proofs].flatMap(([path, { samples, consistency }]) =>
  consistency ? [{ path, hasEndpoints: samples !== undefined, ...consistency }] : [],
)

/** Tables of resources. */
export const resourceTables = checks.flatMap(({ resources }) => resources ?? [])

/** Checks an installation on which no action is running. */
export async function checkConsistency(world: World, options: CheckOptions = {}): Promise<void> {
  const found = read(world.db, world.clock)
  const memory = memoryOf(world)
  await checkRows(found, memory)
  for (const check of checks) await check.world?.(found, world, options)
  await checkDeleted(found, world, memory)
  await checkDumps(world.db)
}

/** Checks the invariants of a database at rest, for an installation whose infrastructure cannot be inspected. */
export async function checkDatabase(db: Database, clock: Clock): Promise<void> {
  await checkRows(read(db, clock), { ended: new Map(), seen: new Map() })
}

/** What is wrong with a database at rest, if anything. */
export function brokenInvariants(db: Database, clock: Clock): Promise<string[]> {
  return checkDatabase(db, clock).then(
    () => [],
    (error: Error) => [error.message],
  )
}

async function checkRows(found: Snapshot, memory: Memory): Promise<void> {
  await checkActions(found, memory)
  for (const table of resourceTables) await checkNames(found, table)
  for (const one of checks.flatMap(({ belongs = [] }) => belongs)) await checkOwner(found, one)
  await checkLabels(found)
  for (const check of checks) await check.rows?.(found)
}

function read({ query }: Database, clock: Clock): Snapshot {
  const tables = new Map<string, Promise<unknown>>()
  return {
    clock,
    all<Name extends keyof EveryTable>(table: Name) {
      if (!tables.has(table)) tables.set(table, acrossProjects(query).selectFrom(table).selectAll().execute())
      return tables.get(table) as Promise<readonly Row<Name>[]>
    },
  }
}

/** I1, I2, and the part of I10 about actions. */
async function checkActions(found: Snapshot, { ended }: Memory): Promise<void> {
  const actions = await found.all('action')
  const running = actions.filter((action) => action.status === 'running').map((action) => action.command)
  assert.deepEqual(running, [], 'every action has ended')
  assert.deepEqual(await found.all('resource_lock'), [], 'I1, I10: nothing stays locked')
  assert.deepEqual(await found.all('action_serial'), [], 'I10: nothing waits for an action that has ended')
  for (const action of actions) {
    const text = JSON.stringify(action)
    const before = ended.get(action.id)
    if (before === undefined) checkEnd(action)
    else assert.equal(text, before, 'I2: an action that has ended never changes')
    ended.set(action.id, text)
  }
}

/** Codes with which actions of the scenarios may fail; proofs add the codes after which a retry is possible. */
const failureCodes = new Set(['action_failed', ...checks.flatMap(({ failures = [] }) => failures)])

function checkEnd(action: ActionRow): void {
  const { id, status, progress, finished, worker, lease_until, error_code, error_message } = action
  assert.deepEqual({ worker, lease_until }, { worker: null, lease_until: null }, `action ${id} is nobody's`)
  assert.ok(finished, `action ${id} says when it ended`)
  if (status === 'success') assert.deepEqual([progress, error_code, error_message], [100, null, null])
  else assert.deepEqual([status, failureCodes.has(error_code!), typeof error_message], ['error', true, 'string'])
}

/** Rows of any table, with the columns that are common to all families. */
async function rowsOf(found: Snapshot, table: keyof EveryTable) {
  return (await found.all(table)) as unknown as readonly (Readonly<Record<string, unknown>> & {
    readonly id: number
    readonly project_id: number
  })[]
}

/** I3. */
async function checkNames(found: Snapshot, table: keyof EveryTable): Promise<void> {
  const named = (await rowsOf(found, table)).filter(({ name }) => typeof name === 'string')
  const names = named.map(({ project_id, name }) => `${project_id} ${name}`)
  assert.deepEqual(names, [...new Set(names)], `I3: a name of ${table} is there once in a Project`)
}

/** I10 for rows that belong to a resource. */
async function checkOwner(found: Snapshot, [table, column, owner]: NonNullable<Consistency['belongs']>[number]) {
  const projects = new Map((await rowsOf(found, owner)).map(({ id, project_id }) => [id, project_id]))
  for (const row of await rowsOf(found, table)) {
    const id = row[column] as number | null
    if (id === null) continue
    assert.equal(projects.get(id), row.project_id, `I10: ${column} ${id} of ${table} is a ${owner} of its Project`)
  }
}

const labelledTables = schemaTables()
  .filter(({ columns }) => columns.includes('labels'))
  .map(({ name }) => name as keyof EveryTable)

/** I10 for the index of labels. */
async function checkLabels(found: Snapshot): Promise<void> {
  const wanted: string[] = []
  for (const table of labelledTables) {
    for (const { project_id, id, labels } of await rowsOf(found, table)) {
      const entries = Object.entries(JSON.parse(labels as string))
      wanted.push(...entries.map(([key, value]) => [project_id, table, id, key, value].join(' ')))
    }
  }
  const rows = await found.all('label')
  const indexed = rows.map((row) => [row.project_id, row.kind, row.resource_id, row.key, row.value].join(' '))
  assert.deepEqual(indexed.sort(), wanted.sort(), 'I10: the index says exactly what the labels say')
}

/** I9. */
async function checkDeleted(found: Snapshot, { api, foreign }: World, { seen }: Memory): Promise<void> {
  for (const { path, hasEndpoints, resources } of checks) {
    if (!resources || !hasEndpoints) continue
    const ids = new Set((await rowsOf(found, resources)).map(({ id }) => id))
    const before = seen.get(path) ?? new Set()
    for (const id of before) {
      if (ids.has(id)) continue
      for (const client of [api, foreign]) {
        assert.equal((await client.get(`/${path}/${id}`)).status, 404, 'I9: a deleted id never answers again')
      }
    }
    seen.set(path, new Set([...before, ...ids]))
  }
}
