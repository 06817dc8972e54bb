/**
 * What a family says about itself to the tests that concern all families: how to make one of its resources, a request
 * that each of its endpoints accepts, a way to each error that it declares, a run of each of its actions, and what must
 * add up whatever happened. Each family has one in its `proof.ts`; proofs.ts collects them. A new endpoint, error or
 * action without an entry fails coverage.test.ts.
 */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { EveryTable } from '../src/kernel/data/db.ts'
import type { ErrorCode } from '../src/kernel/errors.ts'
import type { Clock } from '../src/kernel/process/clock.ts'
import type { Answer, Client, Open, World } from './harness.ts'
import type { SpecRows } from './spec/rows.ts'

export interface Proof {
  /** Absent for what has tables but no endpoints. */
  readonly samples?: Samples
  /** Every place where a request names another resource, by the endpoint (`family.key`) and, after a space, the field. */
  readonly references?: Readonly<Record<string, Reference>>
  /**
   * By endpoint and code; an endpoint of another family where the error is about what this family adds to it. Codes that
   * follow from an endpoint's shape are left out: the tests make those themselves.
   */
  readonly errors?: ErrorScenarios
  /** By `family/command`, after which a space and the circumstances may follow. */
  readonly actions?: Readonly<Record<string, ActionScenario>>
  readonly consistency?: Consistency
  /** Its rows of the tables of the spec. */
  readonly spec?: SpecRows
}

// ---- A resource and a request for each endpoint --------------------------------------------------------------------

/** A resource of the first Project and an action that names it. */
export interface Target {
  readonly id: number
  readonly actionId?: number
}

/** What one endpoint accepts. */
export interface Sample {
  /** A resource of its own, where the one that was prepared will not do. */
  readonly target?: Target
  readonly query?: string
  readonly body?: unknown
  /** What this version answers to everybody who may ask. */
  readonly refusal?: ErrorCode
}

export interface Samples {
  /** Resources of the catalogue are the same for every Project. */
  readonly isShared?: true
  prepare(world: World): Promise<Target>
  /** By the key of the endpoint; endpoints that need neither query nor body have none. */
  readonly requests?: Readonly<Record<string, (world: World, target: Target) => Sample | Promise<Sample>>>
}

export interface Reference {
  /** The family of the resource that is named. */
  readonly family: string
  /** A body that names `id`. */
  body(id: number): unknown
}

let made = 0

/** A name that nothing else in this process has. */
export function unique(what: string): string {
  return `${what}-${++made}`
}

/** An id of the right size that is never given out. */
export const neverExisted = 4_000_000_000_000_000

/** The body of an answer that must be a success. */
export async function done(pending: Promise<Answer>): Promise<Answer['body']> {
  const answer = await pending
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body
}

/** The sample of an update that changes name and labels. */
export const rename = (what: string) => () => ({ body: { name: unique(what), labels: { changed: 'yes' } } })

/** The first resource that a family of the catalogue lists. */
export async function firstOf({ api }: World, family: string): Promise<Target> {
  return { id: (await done(api.get(`/${family}?per_page=1`)))[family][0].id }
}

// ---- A way to each declared error ----------------------------------------------------------------------------------

/** A world whose actions wait for `settle`, so that what they lock stays locked. */
export interface Stage extends World {
  readonly open: Open
  /** Does `work` whenever the server reaches the place (see kernel/process/faults.ts), until the scenario is over. */
  meet(place: string, work: () => Promise<unknown>): void
}

/** Leads the server to an error and returns the answer that has it. */
export type ErrorScenario = (stage: Stage) => Promise<Answer>

export type ErrorScenarios = Readonly<Record<string, Partial<Record<ErrorCode, ErrorScenario>>>>

/** Changes a row behind the back of an update that is about to write it, as a rival request would. */
export function conflict(
  family: string,
  table: keyof EveryTable,
  prepare: Samples['prepare'],
  change: () => object = () => ({ name: unique('mine') }),
): ErrorScenario {
  return async (stage) => {
    const { id } = await prepare(stage)
    stage.meet(`update/${table}:before-write`, () =>
      stage.db.transact((tx) =>
        sql`update ${sql.table(table)} set version = version + 1 where id = ${id}`.execute(tx.query),
      ),
    )
    return stage.api.put(`/${family}/${id}`, change())
  }
}

/** Gives a resource the name of another one. */
export function takenName(family: string, prepare: Samples['prepare']): ErrorScenario {
  return async (stage) => {
    const [first, second] = [await prepare(stage), await prepare(stage)]
    const { name } = Object.values(await done(stage.api.get(`/${family}/${first.id}`)))[0] as { name: string }
    return stage.api.put(`/${family}/${second.id}`, { name })
  }
}

/** Creates the same thing a second time. */
export function takenTwice(path: string, body: () => object): ErrorScenario {
  return async ({ api, settle }) => {
    const given = body()
    await done(api.post(path, given))
    await settle()
    return api.post(path, given)
  }
}

/** Creates a resource in a Project that may have none of its kind. */
export function overLimit(limit: string, path: string, body: () => object): ErrorScenario {
  return async ({ open }) => {
    const { api } = await open({ limits: { [limit]: 0 }, runActions: false })
    return api.post(path, body())
  }
}

// ---- A run of each action ------------------------------------------------------------------------------------------

export interface StartedAction {
  readonly id: number
  /** Resources that calls to drivers may be about because of it. */
  readonly subjects: readonly number[]
}

/** Operations that start an action, after what they need was made and settled. */
export interface Started {
  /** Sends the request and returns the actions that it started. May be called again when they ended in an error. */
  act(client: Client): Promise<readonly StartedAction[]>
}

/** Leads the server to the point where one request starts the action. */
export type ActionScenario = (world: World) => Promise<Started>

interface WireAction {
  readonly id: number
  readonly resources: readonly { readonly id: number }[]
}

/** A request that answers with the actions that it started. */
export const act = (send: (client: Client) => Promise<Answer>): Started => ({
  async act(client) {
    const body = await done(send(client))
    const actions: WireAction[] = [body.action, ...(body.actions ?? []), ...(body.next_actions ?? [])].filter(Boolean)
    return actions.map(({ id, resources }) => ({ id, subjects: resources.map((resource) => resource.id) }))
  },
})

// ---- What must add up whatever happened ----------------------------------------------------------------------------

export type Row<Name extends keyof EveryTable> = EveryTable[Name]

/** The database as it is at rest. Each table is read when it is first asked for. */
export interface Snapshot {
  readonly clock: Clock
  all<Name extends keyof EveryTable>(table: Name): Promise<readonly Row<Name>[]>
}

export interface CheckOptions {
  /** Also compare states that wait to be confirmed: for worlds in which every last call went well. */
  readonly pendingToo?: boolean
}

export interface Consistency {
  /** The table of its resources: their names and ids are checked. */
  readonly resources?: keyof EveryTable
  /** Rows that belong to a resource of the same Project: table, column and the table of the resource. */
  readonly belongs?: readonly (readonly [table: keyof EveryTable, column: string, owner: keyof EveryTable])[]
  /** Codes, besides `action_failed`, with which its scenarios let actions fail that are to be tried again. */
  readonly failures?: readonly string[]
  /** What the database tells by itself. */
  rows?(found: Snapshot): Promise<void>
  /** Whether the infrastructure is as the database says. */
  world?(found: Snapshot, world: World, options: CheckOptions): Promise<void>
}
