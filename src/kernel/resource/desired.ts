/**
 * Desired and actual state. What the infrastructure is to do about one target, such as the packet filter of a server, has
 * a generation that grows with each change, and a generation that a driver last confirmed. Actions bring the newest one
 * about; whatever no action could bring about, the reconciler hands over again until a driver confirms it, so that nothing
 * stays wrong for longer than the infrastructure is out of order. All of this is the same for every kind of state.
 */

import { type Kysely, sql } from 'kysely'
import { isUnlocked } from '../actions/claims.ts'
import {
  type ActionInput,
  DriverError,
  type Drivers,
  defineStep,
  type Step,
  type StepContext,
} from '../actions/define.ts'
import { inTime } from '../actions/in-time.ts'
import type { Database, Queries, TenantTables, Transaction } from '../data/db.ts'
import { preparedStatements } from '../data/prepared.ts'
import {
  acrossProjects,
  preparedScoped,
  preparedScopedMany,
  type Scoped,
  scoped,
  type TenantTable,
} from '../data/scoped.ts'
import { type AtOnce, after } from '../process/at-once.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import type { Secrets } from '../secrets/secrets.ts'

/** A target by its id, with its newest generation and the one that a driver last confirmed. */
export interface DesiredRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly generation: number
  readonly generation_in_force: number
}

/** A table of desired states. */
export type DesiredTable = { [T in TenantTable]: TenantTables[T] extends DesiredRow ? T : never }[TenantTable]

/** The context of a driver's call; that of every step has it. The reconciler calls without an action. */
export type World = Pick<StepContext<ActionInput>, 'query' | 'scope' | 'drivers' | 'secrets'> &
  Partial<Pick<StepContext<ActionInput>, 'report' | 'actionId'>>

/** A driver's confirmation. */
export interface Confirmed {
  readonly generation: number
  /** Nothing is left of the target, in the infrastructure or in the database. */
  readonly isGone?: boolean
}

export interface DesiredDefinition<T extends DesiredTable> {
  readonly table: T
  /** The name of several of them in texts, such as `packet filters`. */
  readonly title: string
  /** The type of the target: while an action holds its lock, the reconciler leaves it to the action. */
  readonly target: string
  /** What drivers in the memory of this process call the generations of it that they have seen, if there are any. */
  readonly seenAs?: string
  /**
   * Hands a driver the whole desired state of a target under a generation. The generation was read before: a newer state
   * under an older generation is handed over again, an older state under a newer one never would be. May be repeated.
   * Returns whether nothing is left of the target.
   */
  handOver(world: World, id: number, generation: number): Promise<{ readonly isGone: boolean } | undefined>
}

/** The parts of the platform that the reconciler needs. */
export interface ReconcilerParts {
  readonly db: Database
  readonly secrets: Secrets
}

/** One kind of desired state. */
export interface Desired {
  readonly table: DesiredTable
  readonly title: string
  /** The type of its targets. */
  readonly target: string
  /** The generations of the targets of all Projects, by id. */
  across(query: Queries): Promise<DesiredRow[]>
  /** Gives some targets a new generation, because what is desired of them has changed. */
  renew(tx: Transaction, scope: ProjectScope, ids: readonly number[]): Promise<void>
  /** The newest generation of a target; undefined when it never had one or is gone. */
  generation(query: Queries, scope: ProjectScope, id: number): Promise<number | undefined>
  /** Those of some targets of which the newest generation is not confirmed yet. */
  pending(query: Queries, scope: ProjectScope, ids: readonly number[]): AtOnce<ReadonlySet<number>>
  /** The newest generations of those of some targets of which it is confirmed. */
  inForce(query: Queries, scope: ProjectScope, ids: readonly number[]): Promise<ReadonlyMap<number, number>>
  /** Hands a driver what is desired of a target; undefined when that is nothing. May be repeated. */
  enforce(world: World, id: number): Promise<Confirmed | undefined>
  /** Hands a driver again what one has confirmed; nothing while an action still has to bring about something newer. */
  repeat(world: World, id: number): Promise<void>
  /** The same for a target that was read just now, unless a driver in the memory of this process has seen its generation. */
  recall(world: World, target: DesiredRow): Promise<void>
  /** Records what a driver has confirmed. */
  confirm(tx: Transaction, scope: ProjectScope, id: number, confirmed: Confirmed): Promise<void>
  /** Forgets a target of which the infrastructure has nothing any more. */
  forget(tx: Transaction, scope: ProjectScope, id: number): Promise<void>
  /** Hands over what no action could bring about. Errors: one for all targets that failed. */
  reconcile(parts: ReconcilerParts, drivers: Drivers): Promise<void>
}

const rowsAtOnce = 1_000

/** Defines a kind of desired state over a table of its own. */
export function defineDesired<const T extends DesiredTable>(definition: DesiredDefinition<T>): Desired {
  const { table } = definition
  const tableOf = (rows: Scoped) => rows as unknown as Scoped<Record<string, DesiredRow>>
  const statesOf = preparedScopedMany((rows, ids: readonly number[]) =>
    tableOf(rows)
      .selectFrom(table as string)
      .selectAll()
      .where('id', 'in', ids),
  )
  const generations = preparedScoped((rows, id: number) =>
    tableOf(rows)
      .selectFrom(table as string)
      .select('generation')
      .where('id', '=', id),
  )
  const { renewal, confirmation, removal, disposal } = writing(tableOf, table)
  const { title, target } = definition
  const desired: Desired = {
    table,
    title,
    target,
    across: (query) => allTargets(query, table),
    async enforce(world, id) {
      const generation = await desired.generation(world.query, world.scope, id)
      if (generation === undefined) return undefined
      return { generation, ...(await definition.handOver(world, id, generation)) }
    },
    async repeat(world, id) {
      const [row] = await statesOf(world.query, world.scope, [id])
      if (row && isInForce(row)) await definition.handOver(world, id, row.generation)
    },
    async recall(world, target) {
      const { id, generation } = target
      if (!isInForce(target) || (await seen(world, definition, id)) === generation) return
      await definition.handOver(world, id, generation)
    },
    async renew(tx, scope, ids) {
      // Always in the same order, so that two that renew the same targets do not wait for each other.
      const ordered = [...new Set(ids)].sort((a, b) => a - b)
      for (let from = 0; from < ordered.length; from += rowsAtOnce) {
        await renewal(tx.query, scope, ordered.slice(from, from + rowsAtOnce))
      }
    },
    async generation(query, scope, id) {
      const [row] = await generations(query, scope, id)
      return row?.generation
    },
    pending: (query, scope, ids) =>
      after(
        statesOf(query, scope, ids),
        (rows) => new Set(rows.filter((row) => row.generation_in_force < row.generation).map(({ id }) => id)),
      ),
    async inForce(query, scope, ids) {
      const rows = (await statesOf(query, scope, ids)).filter(isInForce)
      return new Map(rows.map(({ id, generation }) => [id, generation]))
    },
    async confirm(tx, scope, id, { generation, isGone }) {
      if (isGone) await disposal(tx.query, scope, id, generation)
      else await confirmation(tx.query, scope, id, generation)
    },
    async forget(tx, scope, id) {
      await removal(tx.query, scope, id)
    },
    reconcile: (parts, drivers) => reconcile(desired, definition, parts, drivers),
  }
  return desired
}

/** The statements that write generations. */
function writing(tableOf: (rows: Scoped) => Scoped<Record<string, DesiredRow>>, table: string) {
  return {
    /** Gives some targets a new generation. */
    renewal: preparedScopedMany((rows, ids: readonly number[]) => {
      const first = ids.map((id) => ({ id, generation: 1, generation_in_force: 0 }))
      const next = sql<number>`${sql.ref(`${table}.generation`)} + 1`
      return tableOf(rows)
        .insertInto(table, first)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ generation: next }))
    }),
    confirmation: preparedScoped((rows, id: number, generation: number) =>
      tableOf(rows)
        .updateTable(table)
        .set({ generation_in_force: generation })
        .where('id', '=', id)
        .where('generation_in_force', '<', generation),
    ),
    removal: preparedScoped((rows, id: number) => tableOf(rows).deleteFrom(table).where('id', '=', id)),
    /** Removes a target as long as nothing newer is desired of it. */
    disposal: preparedScoped((rows, id: number, generation: number) =>
      tableOf(rows).deleteFrom(table).where('id', '=', id).where('generation', '=', generation),
    ),
  }
}

const isInForce = (target: DesiredRow) => target.generation_in_force === target.generation

/** The generation that drivers in the memory of this process have seen last of a target; undefined where they are elsewhere. */
const seen = ({ drivers }: World, { seenAs }: Pick<DesiredDefinition<DesiredTable>, 'seenAs'>, id: number) =>
  seenAs === undefined ? undefined : drivers.memory?.seen(seenAs, id)

/** Targets of one kind of desired state. */
export type Targets = readonly [desired: Desired, ids: readonly number[]]

/** Recalls what drivers may not know of some targets, in this order; the generations of all are read at once. */
export async function recallAll(world: World, wanted: readonly Targets[]): Promise<void> {
  const rows = new Map((await generationsOf(world, wanted)).map((row) => [`${row.of} ${row.id}`, row]))
  for (const [desired, ids] of wanted) {
    for (const id of ids) {
      const row = rows.get(`${desired.table} ${id}`)
      if (row) await desired.recall(world, row)
    }
  }
}

type GenerationRow = DesiredRow & { readonly of: string }

async function generationsOf({ query, scope }: World, wanted: readonly Targets[]): Promise<readonly GenerationRow[]> {
  const ids: Record<string, readonly number[]> = {}
  for (const [{ table }, some] of wanted)
    if (some.length > 0) ids[table] = [...new Set([...(ids[table] ?? []), ...some])]
  if (Object.keys(ids).length === 0) return []
  return generationReads(query, '', { projectId: scope.projectId, ids }, (given) => {
    const tables = scoped(query, given) as unknown as Scoped<Record<string, DesiredRow>>
    return Object.entries(given.ids)
      .map(([table, some]) =>
        tables.selectFrom(table).selectAll().select(sql.lit(table).as('of')).where('id', 'in', some),
      )
      .reduce((all, one) => all.unionAll(one))
  })
}

const generationReads = preparedStatements<GenerationRow>()

/** The states that a step has handed over, by target. */
type Enforced = ReadonlyMap<number, Confirmed>

/**
 * A step that brings about what is desired of some targets, in their order, and after a failure what is desired again.
 * `done` adds what else the end of the step means for the database.
 */
export function desiredStep<Input extends ActionInput>(
  desired: Desired,
  step: {
    readonly name: string
    targets(input: Input): readonly number[]
    /** The step's error when a target is gone; without it there is nothing to do for one. */
    readonly missing?: string
    /** Fails when what is desired can no longer be brought about. Errors: `DriverError`. */
    check?: ((context: StepContext<Input>) => Promise<void>) | undefined
    done?(tx: Transaction, context: StepContext<Input>): Promise<void>
    /** Tells others of it, after all that the step itself has to write. */
    tell?(tx: Transaction, context: StepContext<Input>): Promise<void>
  },
): Step<Input> {
  const run = async (context: StepContext<Input>): Promise<Enforced> => {
    const enforced = new Map<number, Confirmed>()
    for (const id of step.targets(context.input)) {
      const confirmed = await desired.enforce(context, id)
      if (confirmed) enforced.set(id, confirmed)
    }
    return enforced
  }
  const confirm = async (tx: Transaction, { scope }: StepContext<Input>, enforced: Enforced) => {
    // Targets are locked in the order of their ids, whichever was handed over first.
    for (const [id, confirmed] of [...enforced].sort(([a], [b]) => a - b)) {
      await desired.confirm(tx, scope, id, confirmed)
    }
  }
  return defineStep<Input, Enforced, Enforced>({
    name: step.name,
    async run(context) {
      await step.check?.(context)
      const enforced = await run(context)
      const isMissing = (id: number) => enforced.get(id)?.isGone ?? true
      if (step.missing !== undefined && step.targets(context.input).some(isMissing)) {
        throw new DriverError(step.missing, { transient: false })
      }
      return enforced
    },
    async commit(tx, context, enforced) {
      await step.done?.(tx, context)
      await confirm(tx, context, enforced)
      await step.tell?.(tx, context)
    },
    undo: run,
    undone: confirm,
  })
}

const pendingAtOnce = 200
const usualTimeoutMs = 20_000

/** One target that fails does not keep the others waiting. */
async function reconcile(
  desired: Desired,
  { table, target, title }: DesiredDefinition<DesiredTable>,
  { db, secrets }: ReconcilerParts,
  drivers: Drivers,
): Promise<void> {
  const failures: unknown[] = []
  const bringAbout = async ({ id, project_id: projectId }: Pick<DesiredRow, 'id' | 'project_id'>) => {
    const scope = { projectId }
    const enforced = desired.enforce({ query: db.query, scope, drivers, secrets }, id)
    const confirmed = await inTime(enforced, drivers.callTimeoutMs ?? usualTimeoutMs)
    if (confirmed) await db.transact((tx) => desired.confirm(tx, scope, id, confirmed))
  }
  for (let after = 0; ; ) {
    const some = await pendingTargets(db.query, { table, target }, after)
    for (const row of some) await bringAbout(row).catch((error: unknown) => failures.push(error))
    if (some.length < pendingAtOnce) break
    after = some.at(-1)!.id
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} ${title} are not in force`)
}

/** Reads in pieces, so that nobody waits for one long answer. */
async function allTargets(query: Queries, table: string): Promise<DesiredRow[]> {
  const all = acrossProjects(query) as unknown as Kysely<Record<string, DesiredRow>>
  const found: DesiredRow[] = []
  for (let after = 0; ; after = found.at(-1)!.id) {
    const some = await all
      .selectFrom(table)
      .select(['id', 'project_id', 'generation', 'generation_in_force'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(rowsAtOnce)
      .execute()
    found.push(...some)
    if (some.length < rowsAtOnce) return found
  }
}

/** Targets of all Projects that no action holds, past an id, of which the newest generation is not confirmed. */
function pendingTargets(query: Queries, { table, target }: { table: string; target: string }, after: number) {
  const all = acrossProjects(query) as unknown as Kysely<Record<string, DesiredRow>>
  return all
    .selectFrom(table)
    .select(['id', 'project_id'])
    .whereRef('generation_in_force', '<', 'generation')
    .where('id', '>', after)
    .where(isUnlocked(target, `${table}.id`))
    .orderBy('id')
    .limit(pendingAtOnce)
    .execute()
}
