/**
 * Sends valid and hostile values to every endpoint of api/openapi.json: no answer may be a 5xx, and a request that is
 * refused may change nothing.
 */
import type { Running } from '../../bench/processes.ts'
import { runningClock } from '../../src/kernel/process/clock.ts'
import { brokenInvariants } from '../../test/kit/consistency.ts'
import { dump } from '../../test/kit/database/dump.ts'
import type { Answer, Client, World } from '../../test/kit/harness.ts'
import type { Shown } from '../../test/kit/proof.ts'
import { samples } from '../../test/kit/proofs.ts'
import { type Attack, atLeast, type Context, type Finding, none } from '../attack.ts'
import { hangingActions, type Installation, remoteWorld } from '../installation.ts'
import type { Random } from '../random.ts'
import { asSample, type Draft, draft, pathOf, spoiledDrafts } from './drafts.ts'
import { contractRow, type Operation, readOperations } from './operations.ts'
import { Seen } from './seen.ts'

export const fuzz: Attack = {
  name: 'fuzz',
  databases: ['sqlite', 'postgres'],
  run: async (context) => [...(await fuzzTogether(context)), ...(await refuseOneByOne(context))],
}

// ---- Many clients at once ------------------------------------------------------------------------------------------

/** What became of the requests of all clients. */
class Outcome {
  readonly wrong: string[] = []
  readonly succeeded = new Set<string>()
  sent = 0
}

async function fuzzTogether(context: Context): Promise<Finding[]> {
  const { random } = context
  const installation = await context.install()
  const server = await installation.serve()
  const { db, close } = await installation.open()
  const world = remoteWorld(server, installation.tenants[0], db)
  const base = await prepareAll(world)
  const operations = readOperations()
  // What they need is made before others get in the way.
  const valid: Draft[] = []
  for (const operation of operations) valid.push(await asSample(operation, world))
  await world.settle()
  const clients = context.size(4, 12)
  const count = context.size(200, 6_000) / clients
  const outcome = new Outcome()
  await Promise.all(
    Array.from({ length: clients }, (_, i) => {
      // Each client knows only its own resources, so that timing does not change what it does.
      const fuzzer = new Fuzzer(world.api, new Seen(base), random.fork(), `c${i}`, outcome)
      const mine = valid.filter((_, n) => n % clients === i)
      return fuzzer.run(operations, { count, mine, share: context.size(0.006, 0.5) })
    }),
  )
  const alive = server.isAlive() ? [] : ['the process ended']
  const hanging = await hangingActions(db)
  const broken = await brokenInvariants(db, runningClock(undefined))
  await close()
  await server.stop()
  const all = operations.length
  return [
    none('fuzzed requests get no 5xx, and each refusal its envelope', 'wrong answers', outcome.wrong, context),
    atLeast('requests are fuzzed', outcome.sent, 'requests', count * clients),
    none('fuzzed requests do not end the process', 'ends', alive, context),
    // Others may have been there first.
    atLeast('fuzzed requests reach what endpoints do', outcome.succeeded.size, `of ${all} endpoints`, 0.9 * all),
    none('no action of fuzzed requests is left hanging', 'running', hanging, context),
    none('the database agrees with itself after fuzzed requests', 'broken invariants', broken, context),
  ]
}

/** Two resources of each family, by its path. */
async function prepareAll(world: World): Promise<Map<string, Shown[]>> {
  const seen = new Map<string, Shown[]>()
  for (const family of new Set(readOperations().map((operation) => contractRow(operation).family))) {
    const { prepare } = samples[family]!
    const ids = [(await prepare(world)).id, (await prepare(world)).id]
    await world.settle()
    const answers = await Promise.all(ids.map((id) => world.api.get(`/${family}/${id}`)))
    const shown = answers.flatMap(({ status, body }) => (status === 200 ? (Object.values(body) as Shown[]) : []))
    seen.set(family, shown)
  }
  return seen
}

interface Task {
  /** How many requests to any operations. */
  readonly count: number
  /** Valid requests of which each place is spoiled. */
  readonly mine: readonly Draft[]
  /** The share of hostile values that each place gets. */
  readonly share: number
}

/** One client. */
class Fuzzer {
  readonly #api: Client
  readonly #seen: Seen
  readonly #random: Random
  readonly #name: string
  readonly #outcome: Outcome
  #names = 0

  constructor(api: Client, seen: Seen, random: Random, name: string, outcome: Outcome) {
    this.#api = api
    this.#seen = seen
    this.#random = random
    this.#name = name
    this.#outcome = outcome
  }

  async run(operations: readonly Operation[], { count, mine, share }: Task): Promise<void> {
    const choices = weighted(operations)
    for (let i = 0; i < count; i++) {
      await this.#shoot(await this.#draft(this.#random.pick(choices), this.#random.pick([0, 0, 0, 0.05, 0.3])))
    }
    // A request with a single flaw gets further than one with many.
    for (const given of mine) {
      await this.#shoot(given)
      for (const bad of spoiledDrafts(given, this.#random, share)) await this.#shoot(bad)
    }
  }

  #draft(operation: Operation, nastiness: number): Promise<Draft> {
    const prefix = () => `${this.#name}n${++this.#names}-`
    return draft(operation, { seen: this.#seen, random: this.#random, prefix }, nastiness)
  }

  async #shoot(aim: Draft): Promise<void> {
    this.#outcome.sent++
    const answer = await send(this.#api, aim)
    if ('problem' in answer) return void this.#outcome.wrong.push(answer.problem)
    if (answer.status >= 300) return
    this.#seen.noteAnswer(answer.body)
    this.#outcome.succeeded.add(aim.operation.operationId)
  }
}

/** Makes operations rarer that delete what the others need. */
function weighted(operations: readonly Operation[]): readonly Operation[] {
  return operations.flatMap((operation) => Array<Operation>(operation.method === 'DELETE' ? 1 : 3).fill(operation))
}

/** The answer to a request, or what is wrong with it. */
async function send(api: Client, aim: Draft): Promise<Answer | { readonly problem: string }> {
  const { method } = aim.operation
  const path = pathOf(aim)
  const body = aim.body === undefined ? undefined : JSON.stringify(aim.body)
  const failed = (reason: string) => ({ problem: `${method} ${path} ${body?.slice(0, 300) ?? ''}: ${reason}` })
  try {
    const answer = await api.request(method, path, body === undefined ? {} : { body })
    const isRefusal = answer.status < 500 && typeof answer.body?.error?.code === 'string'
    return answer.status < 300 || isRefusal ? answer : failed(`${answer.status} ${answer.text.slice(0, 200)}`)
  } catch (error) {
    return failed(`${(error as Error).message} ${(error as Error).cause ?? ''}`)
  }
}

// ---- One by one ----------------------------------------------------------------------------------------------------

/** Sends valid requests with a flaw each, while nothing else happens: those that are refused change nothing. */
async function refuseOneByOne(context: Context): Promise<Finding[]> {
  const installation = await context.install()
  const server = await installation.serve()
  const refused: string[] = []
  const changes: string[] = []
  const writing = readOperations().filter(({ method }) => method !== 'GET')
  for (const operation of writing.filter(() => context.scale === 'long' || context.random.chance(0.25))) {
    await refuseEach(context, { installation, server, operation, refused, changes })
  }
  await server.stop()
  return [
    atLeast('requests with a flaw are refused one by one', refused.length, 'refusals', context.size(20, 1_000)),
    none('a refused request changes nothing', 'changes', changes, context),
  ]
}

interface Single {
  readonly installation: Installation
  readonly server: Running
  readonly operation: Operation
  /** The refused requests. */
  readonly refused: string[]
  /** Those of them that changed something. */
  readonly changes: string[]
}

async function refuseEach(context: Context, { installation, server, operation, refused, changes }: Single) {
  const tenant = installation.tenants[0]
  const { db, close } = await installation.open()
  const world = remoteWorld(server, tenant, db)
  const stored = async () => {
    await world.settle()
    return dump(db, tenant.projectId)
  }
  let ready: { readonly flaws: readonly Draft[]; readonly before: string } | undefined
  for (let i = 0; i < context.size(2, 20); i++) {
    if (!ready) {
      const flaws = [...spoiledDrafts(await asSample(operation, world), context.random, 1)]
      ready = { flaws, before: await stored() }
    }
    const bad = context.random.pick(ready.flaws)
    const answer = await send(world.api, bad)
    // What was not refused has used up what the next request needs.
    if (!('problem' in answer) && answer.status < 400) {
      ready = undefined
      continue
    }
    const what = `${operation.method} ${pathOf(bad)} ${JSON.stringify(bad.body)?.slice(0, 300) ?? ''}`
    refused.push(what)
    if ((await stored()) !== ready.before) {
      changes.push(what)
      ready = undefined
    }
  }
  await close()
}
