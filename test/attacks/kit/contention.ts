/**
 * Many clients change the same few resources at once: a load under which inconsistent lock orders show as deadlocks.
 * Each request is an ordinary one; most of them are refused on purpose (423, 409, 404). The seed determines the
 * requests, but their answers depend on timing.
 */
import { Agent, request as send } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Draw, Shown } from '../../kit/proof.ts'
import { drawing, partsIn, type RequestKind, requestKinds, resourcesIn } from '../../kit/traffic.ts'

export interface ContentionOptions {
  /** Base URLs of the processes that share the database; clients are distributed over them. */
  readonly urls: readonly string[]
  /** A read-write token of the Project under contention. */
  readonly token: string
  /** A read-write token of another Project, whose write latency is measured before and during the load. */
  readonly neighbour?: string
  readonly seed: number
  /** The total number of requests. */
  readonly requests: number
  readonly clients: number
  /** The number of the neighbour's writes that are measured while idle. */
  readonly idleWrites?: number
}

/** Latencies in milliseconds. */
export interface Latency {
  readonly count: number
  readonly p50: number
  readonly p99: number
  readonly max: number
}

export interface ContentionFigures {
  readonly seed: number
  readonly finished: number
  readonly seconds: number
  readonly perSecond: number
  readonly latency: Latency
  /** The number of answers by status and code, such as `423 locked`. */
  readonly answers: Readonly<Record<string, number>>
  /** Answers that a server must not give under load, with their requests, and broken connections. */
  readonly failures: readonly string[]
  readonly neighbour?: { readonly idle: Latency; readonly loaded: Latency; readonly failures: readonly string[] }
}

interface Answer {
  readonly status: number
  readonly ms: number
  readonly text: string
}

type Call = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Runs the load and returns its figures. */
export async function contention(options: ContentionOptions): Promise<ContentionFigures> {
  const { urls, token, neighbour, seed, requests, clients, idleWrites = 200 } = options
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const callers = urls.map((url) => callWith(agent, url, token))
  try {
    const arena = new Arena(callers[0]!)
    await arena.prepare(randomFrom(seed))
    const other = neighbour === undefined ? undefined : new Neighbour(callWith(agent, urls[0]!, neighbour))
    const idle = await other?.write(idleWrites)
    const log = new Log()
    const load = new AbortController()
    const loaded = other?.writeUntil(load.signal)
    const started = performance.now()
    let left = requests
    const client = async (index: number) => {
      const random = randomFrom(seed * 1_000 + index)
      const call = callers[index % callers.length]!
      while (left-- > 0) await arena.act(random, call, log)
    }
    await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
    const seconds = (performance.now() - started) / 1_000
    load.abort()
    const during = await loaded
    return {
      seed,
      finished: log.times.length,
      seconds,
      perSecond: log.times.length / seconds,
      latency: latencyOf(log.times),
      answers: Object.fromEntries([...log.answers].sort()),
      failures: log.failures,
      ...(other && idle && during ? { neighbour: { idle, loaded: during, failures: other.failures } } : {}),
    }
  } finally {
    agent.destroy()
  }
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) }
}

// ---- Requests ------------------------------------------------------------------------------------------------------

function callWith(agent: Agent, url: string, token: string): Call {
  return (method, path, body) => {
    const started = performance.now()
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const finish = (status: number, text: string) => resolve({ status, ms: performance.now() - started, text })
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
    }
    const asked = send(url + path, { method, agent, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', (error) => finish(0, String(error)))
      response.on('end', () => finish(response.statusCode ?? 0, Buffer.concat(chunks).toString()))
    })
    asked.on('error', (error) => finish(0, String(error))).end(text)
    return promise
  }
}

class Log {
  readonly times: number[] = []
  readonly answers = new Map<string, number>()
  readonly failures: string[] = []

  note(what: string, { status, ms, text }: Answer): void {
    this.times.push(ms)
    const code = status >= 400 ? ` ${(JSON.parse(text) as { error: { code: string } }).error.code}` : ''
    this.answers.set(`${status}${code}`, (this.answers.get(`${status}${code}`) ?? 0) + 1)
    if (status === 0 || status >= 500) this.failures.push(`${what}: ${status} ${text.slice(0, 200)}`)
  }
}

/** Numbers in [0, 1) determined by a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

// ---- The contended resources ---------------------------------------------------------------------------------------

/** How many resources of each kind exist at the start; deleted ones are created again. */
const stock = 3

const creations = requestKinds.filter(({ isCreation }) => isCreation)

class Arena {
  readonly #call: Call
  /** The resources that there are, by family, as answers showed them last; the oldest come first. */
  readonly #there = new Map<string, Shown[]>()

  constructor(call: Call) {
    this.#call = call
  }

  async prepare(random: () => number): Promise<void> {
    const log = new Log()
    for (const kind of creations) for (let i = 0; i < stock; i++) await this.#perform(kind, random, this.#call, log)
    if (log.failures.length > 0) throw new Error(log.failures.join('\n'))
  }

  /** Sends one request of a client and records its answer. */
  async act(random: () => number, call: Call, log: Log): Promise<void> {
    for (let isSent = false; !isSent; ) {
      const lacking = creations.filter(({ family }) => this.#of(family).length < stock)
      // Not all clients are to make the same thing.
      const wanted = random() < 0.3 && lacking.length > 0 ? lacking : requestKinds
      isSent = await this.#perform(oneOf(wanted, random), random, call, log)
    }
  }

  #of(family: string): Shown[] {
    return this.#there.get(family) ?? []
  }

  /** Returns false when what the request needs is not there. */
  async #perform(kind: RequestKind, random: () => number, call: Call, log: Log): Promise<boolean> {
    const request = await kind.make(this.#draw(random))
    if (!request) return false
    const { method, path } = request
    const answer = await call(method, path, request.body)
    log.note(`${method} ${path}`, answer)
    if (method === 'DELETE' && (answer.status < 300 || answer.status === 404)) this.#forget(path)
    const body = answer.status < 300 && answer.text !== '' ? JSON.parse(answer.text) : undefined
    for (const { family, resource } of resourcesIn({ body })) this.#remember(family, resource)
    return true
  }

  /** Mostly takes the oldest resources, to concentrate contention on them. */
  #draw(random: () => number): Draw {
    const number = (limit: number) => Math.floor(random() * limit)
    const any = async (family: string) => (random() < 0.7 ? this.#of(family)[0] : oneOf(this.#of(family), random))
    return drawing({ number, any, parts: (path) => this.#parts(path) })
  }

  async #parts(path: string): Promise<readonly Shown[]> {
    const { status, text } = await this.#call('GET', path)
    return status === 200 ? partsIn(path, JSON.parse(text)) : []
  }

  #forget(path: string): void {
    const [, family, id] = path.split('/')
    const rest = this.#of(family!).filter((one) => String(one.id) !== id)
    this.#there.set(family!, rest)
  }

  #remember(family: string, resource: Shown): void {
    const all = this.#of(family)
    const known = all.findIndex(({ id }) => id === resource.id)
    this.#there.set(family, known < 0 ? [...all, resource] : all.with(known, resource))
  }
}

function oneOf<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!
}

// ---- Another Project -----------------------------------------------------------------------------------------------

/** A client of another Project that changes its own firewall from time to time, to measure its latency. */
class Neighbour {
  readonly #call: Call
  readonly failures: string[] = []
  #id: number | undefined
  #writes = 0

  constructor(call: Call) {
    this.#call = call
  }

  async write(count: number): Promise<Latency> {
    const times: number[] = []
    for (let i = 0; i < count; i++) times.push(await this.#write())
    return latencyOf(times)
  }

  async writeUntil(signal: AbortSignal): Promise<Latency> {
    const times: number[] = []
    while (!signal.aborted) {
      times.push(await this.#write())
      await delay(10)
    }
    return latencyOf(times)
  }

  async #write(): Promise<number> {
    const rules = [
      { direction: 'in', protocol: 'tcp', port: `${(++this.#writes % 50_000) + 1}`, source_ips: ['0.0.0.0/0'] },
    ]
    const answer =
      this.#id === undefined
        ? await this.#call('POST', '/firewalls', { name: 'neighbour', rules })
        : await this.#call('POST', `/firewalls/${this.#id}/actions/set_rules`, { rules })
    if (answer.status !== 201) this.failures.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    else this.#id ??= (JSON.parse(answer.text) as { firewall: { id: number } }).firewall.id
    return answer.ms
  }
}
