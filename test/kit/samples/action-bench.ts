/** A test bench for actions: synthetic definitions, and engines that can be killed at any point. */

import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { type ActionDefinition, DriverError, defineAction, type Step } from '../../../src/kernel/actions/define.ts'
import { Engine, type EngineOptions } from '../../../src/kernel/actions/engine.ts'
import { Killed } from '../../../src/kernel/actions/run.ts'
import { type ActionStart, startAction } from '../../../src/kernel/actions/store.ts'
import type { ActionRow } from '../../../src/kernel/actions/tables.ts'
import type { Database } from '../../../src/kernel/data/db.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import type { Faults } from '../../../src/kernel/process/faults.ts'
import { openLog } from '../../../src/kernel/process/log.ts'
import type { ProjectScope } from '../../../src/kernel/scope.ts'
import { type BareDatabase, run } from '../database/bare-database.ts'

export type Effects = string[]

export interface Bench extends BareDatabase {
  engine(definitions: readonly ActionDefinition[], options?: Partial<EngineOptions>): Engine
  start(definition: ActionDefinition, start?: Partial<ActionStart>): Promise<number>
  action(id: number): Promise<ActionRow>
  /** The effects committed by steps and reverts, in order. */
  commits(): Promise<string[]>
  /** The time of the database in milliseconds, which leases and pauses are counted in. */
  now(): Promise<number>
  /** Makes every lease expire. */
  endLeases(): Promise<void>
  /** The number of locks and serial keys that are still held. */
  held(): Promise<number>
}

const log = openLog('silent')

export async function openBench(bare: BareDatabase): Promise<Bench> {
  const { db, scope } = bare
  await run(db, 'create table committed (position integer, what text)')
  return {
    ...bare,
    engine(definitions, options = {}) {
      const engine = new Engine({
        db,
        drivers: {} as never,
        secrets: {} as never,
        log,
        definitions,
        retryMs: 1,
        pollMs: 20,
        ...options,
      })
      bare.later(() => engine.stop(0))
      return engine
    },
    start: (definition, start) => startOne(db, scope, definition, start),
    action: (id) => actionOf(db, id),
    async commits() {
      return (await run<{ what: string }>(db, 'select what from committed order by position')).map(({ what }) => what)
    },
    async now() {
      const { rows } = await sql<{ now: number }>`select ${db.dialect.nowMs} as now`.execute(db.query)
      return rows[0]!.now
    },
    async endLeases() {
      await run(db, "update action set lease_until = 1 where status = 'running' and lease_until is not null")
    },
    async held() {
      return (await run(db, 'select action_id from resource_lock union all select action_id from action_serial')).length
    },
  }
}

async function startOne(
  db: Database,
  scope: ProjectScope,
  definition: ActionDefinition,
  start: Partial<ActionStart> = {},
): Promise<number> {
  const resources = [{ type: 'thing', id: 1 }]
  return (await db.transact((tx) => startAction(tx, scope, { definition, input: {}, resources, ...start }))).id
}

export async function actionOf(db: Database, id: number): Promise<ActionRow> {
  return acrossProjects(db.query).selectFrom('action').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

export const commit: (what: string) => NonNullable<Step<never>['commit']> = (what) => async (tx) => {
  const row = { position: (await countCommitted(tx.query as never)) + 1, what }
  await acrossProjects(tx.query)
    .insertInto('committed' as never)
    .values(row as never)
    .execute()
}

async function countCommitted(query: Database['query']): Promise<number> {
  const { count } = await acrossProjects(query)
    .selectFrom('committed' as never)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** An action with these steps, each of which leaves a trace outside and one inside of the database. */
export function traced(
  effects: Effects,
  names: readonly string[],
  overrides: Record<string, Partial<Step<never>>> = {},
) {
  return defineAction({
    command: 'change_thing',
    family: 'things',
    steps: names.map((name) => ({
      name,
      run: async () => void effects.push(name),
      commit: commit(name),
      undo: async () => void effects.push(`${name} undone`),
      ...overrides[name],
    })) as Step<never>[],
    revert: (tx, context) => commit('revert')(tx, context),
  }) as ActionDefinition
}

export const permanent = async () => {
  throw new DriverError('no such machine', { transient: false })
}

/** Runs everything runnable, and expires leases, until the action has ended; returns the number of workers it took. */
export async function runToEnd(bench: Bench, id: number, nextWorker: () => Engine): Promise<number> {
  for (let workers = 1; ; workers++) {
    await nextWorker().idle()
    if ((await bench.action(id)).status !== 'running') return workers
    assert.ok(workers < 100, 'the action does not end')
    await bench.endLeases()
  }
}

/** All fault points that a run of `definition` reaches. */
export async function placesOf(bench: Bench, definition: ActionDefinition): Promise<string[]> {
  const places: string[] = []
  await bench.start(definition)
  await bench.engine([definition], { faults: { reach: (place) => void places.push(place) } }).idle()
  await run(bench.db, 'delete from committed')
  return places
}

export function killAt(place: string): Faults {
  return {
    reach(reached) {
      if (reached === place) throw new Killed(place)
    },
  }
}
