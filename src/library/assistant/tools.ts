/** The tools of an assistant. Each is about a cloud that is thrown away. */
import { type Static, type TObject, Type } from 'typebox'
import { publicBase } from '../../kernel/contract/bases.ts'
import { FaultBody } from '../../lab/faults/contract.ts'
import { shipped } from '../../lab/faults/scenarios.ts'
import { startWolke } from '../library.ts'
import { type Program, programs, Workspace } from './workspace.ts'

const most = 20

interface Call {
  /** Tells that the caller has given up. */
  readonly signal: AbortSignal
}

export interface Tool {
  readonly description: string
  readonly input: TObject
  /** Returns what the assistant reads, as JSON. Errors: those that it is told. */
  // biome-ignore lint/suspicious/noExplicitAny: the schema of each tool says what it is given
  run(given: any, call: Call): Promise<unknown>
}

function tool<const Input extends TObject>(
  description: string,
  input: Input,
  run: (given: Static<Input>, call: Call) => Promise<unknown>,
): Tool {
  return { description, input: { ...input, additionalProperties: false }, run }
}

interface OpenCloud {
  readonly workspace: Workspace
  /** The id of the cloud that it is a fork of. */
  readonly forkOf?: string
}

/** The clouds of an assistant, by their ids. */
export class Clouds implements AsyncDisposable {
  readonly #open = new Map<string, OpenCloud>()
  readonly #env: NodeJS.ProcessEnv
  readonly #files: string | undefined
  #made = 0

  constructor(env: NodeJS.ProcessEnv, files?: string) {
    this.#env = env
    this.#files = files
  }

  /** Errors: one line. */
  get(id: string): Workspace {
    const found = this.#open.get(id)
    if (!found)
      throw new Error(`cloud: there is no cloud ${id}; there are ${[...this.#open.keys()].join(', ') || 'none'}`)
    return found.workspace
  }

  async start(options: Parameters<typeof startWolke>[0]): Promise<string> {
    return this.#keep(async () => {
      const cloud = await startWolke(options)
      try {
        return { workspace: new Workspace(cloud, this.#env, this.#files) }
      } catch (error) {
        await cloud.close()
        throw error
      }
    })
  }

  fork(id: string): Promise<string> {
    return this.#keep(async () => ({ workspace: await this.get(id).fork(), forkOf: id }))
  }

  /** Ends a cloud after its forks, which would not answer without it. */
  async end(id: string): Promise<void> {
    const ended = this.get(id)
    for (const [fork, { forkOf }] of [...this.#open].reverse()) if (forkOf === id) await this.end(fork)
    this.#open.delete(id)
    await ended[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of [...this.#open.keys()].reverse()) await this.end(id)
  }

  async #keep(make: () => Promise<OpenCloud>): Promise<string> {
    if (this.#open.size >= most) throw new Error(`there are ${most} clouds already: end one of them`)
    const made = await make()
    const id = `cloud-${++this.#made}`
    this.#open.set(id, made)
    return id
  }
}

const Cloud = Type.String({ description: 'The id of a cloud, such as cloud-1' })
const ofCloud = Type.Object({ cloud: Cloud })

/** All tools, by their names. */
export function toolsOf(clouds: Clouds): Readonly<Record<string, Tool>> {
  return { ...lifeTools(clouds), ...workTools(clouds), ...timeTools(clouds), ...faultTools(clouds) }
}

function lifeTools(clouds: Clouds): Record<string, Tool> {
  return {
    start_cloud: tool(
      'Start an empty cloud that is thrown away at the end. It costs nothing and touches no real one.',
      Type.Object({
        now: Type.Optional(Type.String({ description: 'The time at which its clock starts, such as 2027-04-02' })),
        clock: Type.Optional(Type.Enum(['running', 'frozen', 'skip'], { description: 'skip: waiting takes no time' })),
        actions: Type.Optional(Type.Enum(['instant', 'realistic'], { description: 'How long actions take' })),
        scenario: Type.Optional(Type.Enum([...shipped().keys()], { description: 'What goes wrong from the start' })),
        random_seed: Type.Optional(Type.String({ description: 'Decides what happens by chance' })),
      }),
      async ({ random_seed, ...options }) => {
        const id = await clouds.start({ ...options, ...(random_seed === undefined ? {} : { randomSeed: random_seed }) })
        return { cloud: id, endpoint: clouds.get(id).cloud.url, now: await clouds.get(id).cloud.clock.now() }
      },
    ),
    fork_cloud: tool(
      'Make a cloud that begins as another one is now, with the same files',
      ofCloud,
      async ({ cloud }) => {
        return { cloud: await clouds.fork(cloud) }
      },
    ),
    reset_cloud: tool('Put a cloud back as it was at its start; its files stay', ofCloud, async ({ cloud }) => {
      await clouds.get(cloud).cloud.reset()
      return {}
    }),
    end_cloud: tool('End a cloud and its forks, and remove their files', ofCloud, async ({ cloud }) => {
      await clouds.end(cloud)
      return {}
    }),
  }
}

function workTools(clouds: Clouds): Record<string, Tool> {
  return {
    write_file: tool(
      'Write a file into the folder of a cloud, such as main.tf',
      Type.Object({ cloud: Cloud, path: Type.String({ minLength: 1 }), text: Type.String() }),
      async ({ cloud, path, text }) => {
        clouds.get(cloud).write(path, text)
        return {}
      },
    ),
    run: tool(
      'Run a program in the folder of a cloud. It finds this cloud by its environment, and has no token of any other.',
      Type.Object({
        cloud: Cloud,
        program: Type.Enum([...programs]),
        arguments: Type.Array(Type.String(), { description: 'Such as ["apply", "-auto-approve"]' }),
      }),
      async ({ cloud, program, arguments: args }, { signal }) =>
        clouds.get(cloud).run(program as Program, args, signal),
    ),
    request: tool(
      'Send a request to the API of a cloud',
      Type.Object({
        cloud: Cloud,
        method: Type.Enum(['GET', 'POST', 'PUT', 'DELETE']),
        path: Type.String({ pattern: '^/', description: `Behind ${publicBase}, such as /servers?name=web` }),
        body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
      async ({ cloud, method, path, body }, { signal }) => {
        const { url, token, fetch } = clouds.get(cloud).cloud
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        const given = body === undefined ? {} : { body: JSON.stringify(body) }
        const reply = await fetch(url + path, { method, headers, signal, ...given })
        const text = await reply.text()
        return { status: reply.status, body: text === '' ? null : JSON.parse(text) }
      },
    ),
  }
}

function timeTools(clouds: Clouds): Record<string, Tool> {
  return {
    advance_time: tool(
      'Move the time of a cloud on; everything happens that is due until then',
      Type.Object({ cloud: Cloud, by: Type.String({ description: 'Such as 90s, 1h30m or 30d' }) }),
      async ({ cloud, by }) => ({ now: await clouds.get(cloud).cloud.clock.advance(by) }),
    ),
    next_events: tool(
      'List what happens next by itself in a cloud, and when',
      Type.Object({ cloud: Cloud, limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })) }),
      async ({ cloud, limit }) => ({
        now: await clouds.get(cloud).cloud.clock.now(),
        events: await clouds.get(cloud).cloud.clock.events(limit),
      }),
    ),
  }
}

function faultTools(clouds: Clouds): Record<string, Tool> {
  return {
    inject_fault: tool(
      'Let something go wrong in a cloud from now on, such as answers that fail, are late or get lost',
      Type.Object({ cloud: Cloud, ...FaultBody.properties }),
      async ({ cloud, ...fault }) => ({ name: await clouds.get(cloud).cloud.fail(fault) }),
    ),
    list_faults: tool('List the faults that are injected into a cloud, with what they have hit', ofCloud, ({ cloud }) =>
      clouds.get(cloud).cloud.faults(),
    ),
    heal: tool(
      'Stop injecting a fault into a cloud, or all of them',
      Type.Object({ cloud: Cloud, name: Type.Optional(Type.String()) }),
      async ({ cloud, name }) => {
        await clouds.get(cloud).cloud.heal(name)
        return {}
      },
    ),
    read_report: tool(
      'Tell what programs have done in a cloud: their requests, retries, polling, deprecated fields, leftovers and costs',
      Type.Object({
        cloud: Cloud,
        fail_on: Type.Optional(
          Type.Array(Type.String(), { description: 'Assertions, such as leftovers or cost>1.00' }),
        ),
      }),
      ({ cloud, fail_on: failOn }) => clouds.get(cloud).cloud.report(failOn ? { failOn } : {}),
    ),
  }
}
