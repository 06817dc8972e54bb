/**
 * Many clients change the same few resources at once: a load under which inconsistent lock orders show as deadlocks.
 * Each request is an ordinary one; most of them are refused on purpose (423, 409, 404). The seed determines the
 * requests, but their answers depend on timing.
 */
import { Agent, request as send } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

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
    await arena.prepare()
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
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

// ---- The contended resources ---------------------------------------------------------------------------------------

type Kind = 'server' | 'firewall' | 'floating_ip' | 'image' | 'zone'

const paths: Record<Kind, string> = {
  server: '/servers',
  firewall: '/firewalls',
  floating_ip: '/floating_ips',
  image: '/images',
  zone: '/zones',
}

interface Step {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The kind of resource that the request creates; `takes` is the resource that it deletes. */
  readonly makes?: Kind
  readonly takes?: { readonly kind: Kind; readonly id: number }
}

/** How many resources of each kind exist at the start; deleted ones are created again. */
const stock: Partial<Record<Kind, number>> = { server: 3, firewall: 4, floating_ip: 4, zone: 1 }
const names = ['a', 'b', 'c', 'd', 'e', 'f']
const tiers = ['web', 'db', 'cache']

class Arena {
  readonly #call: Call
  readonly #ids: Record<Kind, number[]> = { server: [], firewall: [], floating_ip: [], image: [], zone: [] }
  #made = 0

  constructor(call: Call) {
    this.#call = call
  }

  async prepare(): Promise<void> {
    const log = new Log()
    for (const [kind, count] of Object.entries(stock)) {
      for (let i = 0; i < count; i++) await this.#perform(this.#creation(kind as Kind, Math.random), this.#call, log)
    }
    if (log.failures.length > 0) throw new Error(log.failures.join('\n'))
  }

  /** Sends one request of a client and records its answer. */
  async act(random: () => number, call: Call, log: Log): Promise<void> {
    const lacking = (Object.keys(stock) as Kind[]).find((kind) => this.#ids[kind].length < stock[kind]!)
    await this.#perform(lacking ? this.#creation(lacking, random) : this.#step(random), call, log)
  }

  async #perform({ method, path, body, makes, takes }: Step, call: Call, log: Log): Promise<void> {
    if (takes) this.#ids[takes.kind] = this.#ids[takes.kind].filter((id) => id !== takes.id)
    const answer = await call(method, path, body)
    log.note(`${method} ${path}`, answer)
    if (takes && answer.status >= 400 && answer.status !== 404) this.#ids[takes.kind].push(takes.id)
    if (makes && answer.status === 201) this.#ids[makes].push(JSON.parse(answer.text)[makes].id as number)
  }

  #creation(kind: Kind, random: () => number): Step {
    const name = `${kind.replace('_', '-')}-${++this.#made}`
    const labels = { tier: oneOf(tiers, random) }
    const body: Record<Kind, object> = {
      server: {
        name,
        labels,
        server_type: 'cpx22',
        image: 'debian-12',
        firewalls: this.#ids.firewall.slice(0, 2).map((firewall) => ({ firewall })),
      },
      firewall: {
        name,
        labels,
        rules: rulesFor(random),
        apply_to: this.#ids.server.slice(0, 2).map((id) => ({ type: 'server', server: { id } })),
      },
      floating_ip: { name, labels, type: 'ipv4', server: this.#any('server', random) },
      image: {},
      zone: { name: `${name}.example`, mode: 'primary' },
    }
    if (kind === 'floating_ip' && this.#ids.server.length === 0) {
      return { method: 'POST', path: paths[kind], body: { name, type: 'ipv4', home_location: 'fsn1' }, makes: kind }
    }
    return { method: 'POST', path: paths[kind], body: body[kind], makes: kind }
  }

  #any(kind: Kind, random: () => number): number {
    return oneOf(this.#ids[kind], random)
  }

  /** Mostly returns the oldest server, to concentrate contention on it. */
  #hot(random: () => number): number {
    return random() < 0.7 ? this.#ids.server[0]! : this.#any('server', random)
  }

  #step(random: () => number): Step {
    const [server, other] = [this.#hot(random), this.#any('server', random)]
    const firewall = this.#any('firewall', random)
    const ip = this.#any('floating_ip', random)
    const image = this.#ids.image.length > 0 ? this.#any('image', random) : undefined
    const zone = this.#any('zone', random)
    const post = (path: string, body: unknown = {}, makes?: Kind): Step => ({
      method: 'POST',
      path,
      body,
      ...(makes ? { makes } : {}),
    })
    const onServer = (action: string, body?: unknown, makes?: Kind) =>
      post(`/servers/${server}/actions/${action}`, body, makes)
    const targets = [server, other].filter((id, index, all) => all.indexOf(id) === index)
    const inAnyOrder = random() < 0.5 ? targets : targets.reverse()
    const resources = inAnyOrder.map((id) => ({ type: 'server', server: { id } }))
    const selector = [{ type: 'label_selector', label_selector: { selector: `tier=${oneOf(tiers, random)}` } }]
    const remove = (kind: Kind, id: number): Step => ({
      method: 'DELETE',
      path: `${paths[kind]}/${id}`,
      takes: { kind, id },
    })
    const put = (kind: Kind, id: number, body: unknown): Step => ({
      method: 'PUT',
      path: `${paths[kind]}/${id}`,
      body,
    })
    const labels = { tier: oneOf(tiers, random), n: oneOf(names, random) }
    const steps: readonly (readonly [weight: number, step: () => Step])[] = [
      [14, () => onServer(oneOf(['poweron', 'poweroff', 'reboot', 'reset', 'shutdown'], random))],
      [9, () => post(`/firewalls/${firewall}/actions/set_rules`, { rules: rulesFor(random) })],
      [9, () => post(`/firewalls/${firewall}/actions/apply_to_resources`, { apply_to: resources })],
      [9, () => post(`/firewalls/${firewall}/actions/remove_from_resources`, { remove_from: resources })],
      [3, () => post(`/firewalls/${firewall}/actions/apply_to_resources`, { apply_to: selector })],
      [3, () => post(`/firewalls/${firewall}/actions/remove_from_resources`, { remove_from: selector })],
      [9, () => post(`/floating_ips/${ip}/actions/assign`, { server: random() < 0.5 ? server : other })],
      [6, () => post(`/floating_ips/${ip}/actions/unassign`)],
      [6, () => put('server', server, { name: `server-${oneOf(names, random)}` })],
      [6, () => put('server', server, { labels })],
      [3, () => put('firewall', firewall, { name: `firewall-${oneOf(names, random)}`, labels })],
      [2, () => put('floating_ip', ip, { name: `ip-${oneOf(names, random)}`, labels })],
      [3, () => onServer(oneOf(['enable_backup', 'disable_backup'], random))],
      [3, () => onServer('create_image', { type: oneOf(['snapshot', 'backup'], random) }, 'image')],
      [2, () => onServer('rebuild', { image: 'debian-12' })],
      [2, () => onServer('change_protection', { delete: false, rebuild: false })],
      [2, () => (image === undefined ? onServer('poweron') : remove('image', image))],
      [1, () => (image === undefined ? onServer('poweron') : put('image', image, { labels }))],
      [2, () => remove('server', server)],
      [2, () => remove('firewall', firewall)],
      [2, () => remove('floating_ip', ip)],
      [1, () => post(`/floating_ips/${ip}/actions/change_dns_ptr`, { ip: '192.0.2.1', dns_ptr: null })],
      [2, () => put('zone', zone, { labels })],
      [2, () => post(`/zones/${zone}/actions/change_ttl`, { ttl: 60 + Math.floor(random() * 1_000) })],
    ]
    let at = random() * steps.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, step] of steps) {
      at -= weight
      if (at < 0) return step()
    }
    return onServer('poweron')
  }
}

function oneOf<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)]!
}

function rulesFor(random: () => number) {
  const port = String(1 + Math.floor(random() * 60_000))
  return [{ direction: 'in', protocol: 'tcp', port, source_ips: ['0.0.0.0/0'] }]
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
    const rules = rulesFor(() => (++this.#writes % 50_000) / 60_000)
    const answer =
      this.#id === undefined
        ? await this.#call('POST', '/firewalls', { name: 'neighbour', rules })
        : await this.#call('POST', `/firewalls/${this.#id}/actions/set_rules`, { rules })
    if (answer.status !== 201) this.failures.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    else this.#id ??= (JSON.parse(answer.text) as { firewall: { id: number } }).firewall.id
    return answer.ms
  }
}
