/**
 * The interface between a family and the tests and attacks that cover all families: sample resources and requests, a
 * scenario for each declared error and each action, invariants, random requests and writes under `kill -9`. Each family has
 * one in its `proof.ts`; proofs.ts collects them. An endpoint, error or action without an entry fails coverage.test.ts.
 */
import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { type Capability, everything } from '../../src/catalogue/capabilities.ts'
import type { Endpoints } from '../../src/kernel/contract/contract.ts'
import type { EveryTable } from '../../src/kernel/data/db.ts'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import type { SpecRows } from '../walks/spec/rows.ts'
import type { Crash } from './crash.ts'
import type { Answer, Client, Open, World } from './harness.ts'

/**
 * What a family proves, whose endpoints are `Own`: one that writes has random requests and writes for the attacks. A family
 * that only reads is a `Proof<typeof itsEndpoints>`, and tables without endpoints are `Proof<NoEndpoints>`.
 */
export type Proof<Own extends Endpoints = Endpoints> = Claims &
  (Writes<Own> extends true ? Attacked : Partial<Attacked>)

export type NoEndpoints = Readonly<Record<never, never>>

type Writes<Own extends Endpoints> = [Exclude<Own[keyof Own]['method'], 'GET'>] extends [never] ? false : true

/** What attacks send. Every endpoint that writes has a row in both; another family may have it, of what it adds there. */
interface Attacked {
  readonly traffic: Traffic
  readonly crash: Crash
}

interface Claims {
  /** Absent for tables without endpoints. */
  readonly samples?: Samples
  /** Every reference to another resource in a request, by endpoint (`family.key`) and, after a space, the field. */
  readonly references?: References
  /**
   * Scenarios by endpoint and code; the endpoint may be of another family when the error concerns what this family adds
   * to it. Errors that follow from the shape of an endpoint are generated and need no entry.
   */
  readonly errors?: ErrorScenarios
  /** Scenarios by `family/command`; a space and the circumstances may follow. */
  readonly actions?: ActionScenarios
  readonly consistency?: Consistency
  /** Bodies of requests for what of it only Wolke has, by endpoint key. */
  readonly own?: Readonly<Record<string, () => unknown>>
  /** Queries of the same, where they need one. */
  readonly ownQueries?: Readonly<Record<string, object>>
  /** Tables of what rounds have measured, whose moments are not those of events. */
  readonly measured?: readonly string[]
  /** The family's rows of the tables in the spec. */
  readonly spec?: SpecRows
}

// ---- A resource and a request for each endpoint --------------------------------------------------------------------

/** A resource of the first Project and an action that refers to it. */
export interface Target {
  readonly id: number
  readonly actionId?: number
  /** The id of a part of the resource, for paths that name one. */
  readonly partId?: number
}

/** A request that an endpoint accepts. */
export interface Sample {
  /** A resource for this request, when the prepared one is not suitable. */
  readonly target?: Target
  readonly query?: string
  readonly body?: unknown
  /** The code with which this version refuses every authorized request. */
  readonly refusal?: ErrorCode
}

export interface Samples {
  /** Set for resources of the catalogue, which all Projects share. */
  readonly isShared?: true
  prepare(world: World): Promise<Target>
  /** Requests by endpoint key; endpoints without required query or body need none. */
  readonly requests?: Readonly<Record<string, (world: World, target: Target) => Sample | Promise<Sample>>>
}

export interface Reference {
  /** The family of the referenced resource. */
  readonly family: string
  /** A body that refers to `id`. */
  body(id: number): unknown
}

export type References = Readonly<Record<string, Reference>>

let made = 0

/** A name that is unique within this process. */
export function unique(what: string): string {
  return `${what}-${++made}`
}

/** A valid id that is never assigned. */
export const neverExisted = 4_000_000_000_000_000

/** The body of an answer that must be successful. */
export async function done(pending: Promise<Answer>): Promise<Answer['body']> {
  const answer = await pending
  assert.ok(answer.status < 300, `${answer.status} ${answer.text}`)
  return answer.body
}

/** The sample of an update that changes name and labels. */
export const rename = (what: string) => () => ({ body: { name: unique(what), labels: { changed: 'yes' } } })

/** The first resource in the list of a catalogue family. */
export async function firstOf({ api }: World, family: string): Promise<Target> {
  return { id: (await done(api.get(`/${family}?per_page=1`)))[family][0].id }
}

// ---- A scenario for each declared error ----------------------------------------------------------------------------

/** A world whose actions wait for `settle`, so that their locks stay held. */
export interface Stage extends World {
  readonly open: Open
  /**
   * Runs `work` whenever the server reaches the fault point (see kernel/process/faults.ts), until the scenario ends.
   */
  meet(place: string, work: () => Promise<unknown>): void
}

/** Provokes an error and returns the answer with it. */
export type ErrorScenario = (stage: Stage) => Promise<Answer>

export type ErrorScenarios = Readonly<Record<string, Partial<Record<ErrorCode, ErrorScenario>>>>

/** Changes a row concurrently with an update that is about to write it, like a rival request. */
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

/** Renames a resource to the name of another one. */
export function takenName(family: string, prepare: Samples['prepare']): ErrorScenario {
  return async (stage) => {
    const [first, second] = [await prepare(stage), await prepare(stage)]
    const { name } = Object.values(await done(stage.api.get(`/${family}/${first.id}`)))[0] as { name: string }
    return stage.api.put(`/${family}/${second.id}`, { name })
  }
}

/** Creates the same resource a second time. */
export function takenTwice(path: string, body: () => object): ErrorScenario {
  return async ({ api, settle }) => {
    const given = body()
    await done(api.post(path, given))
    await settle()
    return api.post(path, given)
  }
}

/** Creates a resource in a Project whose limit for its kind is 0. */
export function overLimit(limit: string, path: string, body: () => object): ErrorScenario {
  return async ({ open }) => {
    const { api } = await open({ limits: { [limit]: 0 }, runActions: false })
    return api.post(path, body())
  }
}

/** Sends a request where locations cannot do something; `prepare` returns its path and body. */
export function lacking(
  capability: Capability,
  prepare: (world: World) => Promise<readonly [path: string, body?: unknown]>,
): ErrorScenario {
  return async ({ open }) => {
    const world = await open({ capabilities: () => ({ ...everything, [capability]: false }) })
    return world.api.post(...(await prepare(world)))
  }
}

// ---- A scenario for each action ------------------------------------------------------------------------------------

export interface StartedAction {
  readonly id: number
  /** Ids that driver calls of the action may have as their subject. */
  readonly subjects: readonly number[]
}

/** Operations that start an action, after its preconditions were created and settled. */
export interface Started {
  /** Sends the request and returns the actions it started. May be called again when they ended with an error. */
  act(client: Client): Promise<readonly StartedAction[]>
}

/** Prepares everything so that a single request starts the action. */
export type ActionScenario = (world: World) => Promise<Started>

export type ActionScenarios = Readonly<Record<string, ActionScenario>>

interface WireAction {
  readonly id: number
  readonly resources: readonly { readonly id: number }[]
}

/** A request whose answer contains the actions it started. */
export const act = (send: (client: Client) => Promise<Answer>): Started => ({
  async act(client) {
    const body = (await done(send(client))) ?? {}
    const actions: WireAction[] = [body.action, ...(body.actions ?? []), ...(body.next_actions ?? [])].filter(Boolean)
    return actions.map(({ id, resources }) => ({ id, subjects: resources.map((resource) => resource.id) }))
  },
})

// ---- Invariants ----------------------------------------------------------------------------------------------------

export type Row<Name extends keyof EveryTable> = EveryTable[Name]

/** The database at rest. Each table is read on first use. */
export interface Snapshot {
  readonly clock: Clock
  all<Name extends keyof EveryTable>(table: Name): Promise<readonly Row<Name>[]>
}

export interface CheckOptions {
  /** Also compare states that wait for confirmation: for worlds in which every last driver call succeeded. */
  readonly pendingToo?: boolean
}

export interface Consistency {
  /** The table of the family's resources, whose names and ids are checked. */
  readonly resources?: keyof EveryTable
  /** Rows that belong to a resource of the same Project: table, column and the table of the resource. */
  readonly belongs?: readonly (readonly [table: keyof EveryTable, column: string, owner: keyof EveryTable])[]
  /** Codes besides `action_failed` with which actions of the scenarios may fail so that they can be retried. */
  readonly failures?: readonly string[]
  /** Checks invariants within the database. */
  rows?(found: Snapshot): Promise<void>
  /** Compares the infrastructure with the database. */
  world?(found: Snapshot, world: World, options: CheckOptions): Promise<void>
  /** Checks what the API shows of the first Project at rest. */
  shown?(api: Client): Promise<void>
}

/** Checks that resources which refer to each other do so in both lists: family, and ids of the other that one shows. */
export async function agree(
  api: Client,
  [left, others]: readonly [string, (one: Shown) => readonly number[]],
  [right, back]: readonly [string, (one: Shown) => readonly number[]],
): Promise<void> {
  const list = async (family: string): Promise<Shown[]> =>
    (await done(api.get(`/${family}?per_page=50`)))[family.replace(/\?.*/, '')]
  const there = (await list(left)).flatMap((one) => others(one).map((other) => `${one.id} ${other}`))
  const reverse = (await list(right)).flatMap((one) => back(one).map((other) => `${other} ${one.id}`))
  assert.deepEqual(there.sort(), reverse.sort(), `${left} and ${right} show the same of each other`)
}

// ---- Random requests -----------------------------------------------------------------------------------------------

/** A resource as an answer showed it. */
export interface Shown {
  readonly id: number
  // biome-ignore lint/suspicious/noExplicitAny: resources of every shape
  readonly [field: string]: any
}

/** Chooses what is in a random request. */
export interface Draw {
  /** A number from 0 to below a limit. */
  number(limit: number): number
  oneOf<T>(items: readonly T[]): T
  /** A resource of a family that the Project has; the request is not sent when there is none. */
  any(family: string): Promise<Shown>
  /** One of the parts in the list at a path; the request is not sent when there is none. */
  part(path: string): Promise<Shown>
}

/** Makes a body; `target` is the resource that the path names last. */
export type RandomBody = (draw: Draw, target: Shown) => unknown

/**
 * Requests that clients send at random: alone in random lives, many at once in `contention`, and with one flaw each from
 * the fuzzer. Others have often been there first, so that most of them may be refused. Every endpoint that writes needs
 * one; names and labels are few, so that they collide.
 */
export interface Traffic {
  /** The field of answers that holds a resource of this family. */
  readonly kind: string
  /** Parameters of the list that has only resources of the Project. */
  readonly query?: string
  /** Bodies by method and path, in which `{servers}` stands for any server and `{.disks}` for any in its list of that name. */
  readonly requests: Readonly<Record<string, RandomBody>>
  /** What this family adds, now and then, to the bodies of requests of others. */
  readonly adds?: Readonly<Record<string, (draw: Draw) => Promise<object>>>
  /** Ends what keeps a resource from being deleted, besides its protection. */
  release?(api: Client, resource: Shown): Promise<unknown>
}

export const noBody: RandomBody = () => undefined

/** One of few names. */
export const anyName = (what: string, { number }: Draw) => `${what}${number(12)}`

export const anyLabels = ({ oneOf }: Draw) =>
  oneOf<object>([{}, { env: 'dev' }, { env: 'prod' }, { env: 'dev', tier: '1' }, { tier: '2' }])

/** Changes the name or the labels. */
export const anyRename =
  (what: string): RandomBody =>
  (draw) =>
    draw.number(2) === 0 ? { name: anyName(what, draw) } : { labels: anyLabels(draw) }

export const anyProtection: RandomBody = ({ number }) => ({ delete: number(2) === 0 })
