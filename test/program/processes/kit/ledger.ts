/** Clients of several Projects, and a ledger of what was acknowledged to them. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { until } from '../../../kit/database/bare-database.ts'

/** A refusal: the status, or what was said of the connection. */
export type Trouble = number | string

/** What one client was answered. */
export interface Page {
  /** Labels that a firewall must have, by id: the last that were acknowledged, and others that may have come since. */
  readonly firewalls: Map<number, string[]>
  /** Names of which there may be one firewall each: nobody was told whether it was made. */
  readonly unknown: Set<string>
  readonly names: Map<number, string>
  readonly servers: Set<number>
  readonly deleted: Set<number>
  readonly actions: Set<number>
  readonly troubles: Trouble[]
  requests: number
  /** The longest time between two good answers with trouble in between, in milliseconds. */
  longestMs: number
}

interface Sent {
  readonly status: Trouble
  // biome-ignore lint/suspicious/noExplicitAny: replies of every shape
  readonly json: any
}

/** A client that keeps its connection. */
export class Keeper {
  readonly #baseUrl: string
  readonly #token: string
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  /** Never rejects: an error of the connection is the status. */
  send(method: string, path: string, body?: unknown): Promise<Sent> {
    const { promise, resolve } = Promise.withResolvers<Sent>()
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' }
    const fail = (error: Error) => resolve({ status: (error as NodeJS.ErrnoException).code ?? error.message, json: {} })
    const asked = request(this.#baseUrl + path, { method, headers, agent: this.#agent }, (answer) => {
      answer.toArray().then((parts) => {
        const text = Buffer.concat(parts).toString()
        resolve({ status: answer.statusCode!, json: text === '' ? {} : JSON.parse(text) })
      }, fail)
    })
    asked.on('error', fail)
    asked.end(body === undefined ? undefined : JSON.stringify(body))
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}

export class Ledger {
  readonly pages: Page[] = []
  readonly #clients: { readonly keeper: Keeper; readonly work: Promise<void> }[] = []
  #isOver = false

  /** Lets one client with each token work until the end. */
  begin(baseUrl: string, tokens: readonly string[]): void {
    for (const token of tokens) {
      const keeper = new Keeper(baseUrl, token)
      const page: Page = {
        firewalls: new Map(),
        unknown: new Set(),
        names: new Map(),
        servers: new Set(),
        deleted: new Set(),
        actions: new Set(),
        troubles: [],
        requests: 0,
        longestMs: 0,
      }
      this.pages.push(page)
      this.#clients.push({ keeper, work: new Client(keeper, page).work(() => this.#isOver) })
    }
  }

  /** Waits until each client was given so many more good answers. */
  async more(count: number): Promise<void> {
    const good = () => this.pages.map(({ requests, troubles }) => requests - troubles.length)
    const before = good()
    await until(() => good().every((now, at) => now >= before[at]! + count), 'all clients go on')
  }

  get troubles(): readonly Trouble[] {
    return this.pages.flatMap(({ troubles }) => troubles)
  }

  /** The troubles and how often each came, and the longest time that a client had to do without a good answer. */
  get inWords(): string {
    const counts = Map.groupBy(this.troubles, String)
    const each = [...counts].map(([trouble, all]) => `${all.length} × ${trouble}`)
    const requests = this.pages.reduce((sum, page) => sum + page.requests, 0)
    const longest = Math.max(...this.pages.map(({ longestMs }) => longestMs))
    return `${requests} requests, ${each.join(', ') || 'no trouble'}; longest outage ${(longest / 1_000).toFixed(1)} s`
  }

  /** Ends the work. */
  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#clients.map(({ work }) => work))
  }

  /** Expects that all that was acknowledged is there, once, and that every action has ended. */
  async check(): Promise<void> {
    for (const [at, { keeper }] of this.#clients.entries()) {
      await checkPage(keeper, this.pages[at]!)
      keeper.close()
    }
  }
}

class Client {
  readonly #keeper: Keeper
  readonly #page: Page
  #goodAt = performance.now()
  #wasTrouble = false

  constructor(keeper: Keeper, page: Page) {
    this.#keeper = keeper
    this.#page = page
  }

  async work(isOver: () => boolean): Promise<void> {
    for (let round = 0; !isOver(); round++) {
      await this.#makeFirewall(`firewall-${round}`, round)
      if (round % 4 === 0) await this.#makeServer(`server-${round}`)
      await this.#send('GET', '/firewalls?per_page=5')
    }
  }

  async #makeFirewall(name: string, round: number): Promise<void> {
    const page = this.#page
    page.unknown.add(name)
    const { status, json } = await this.#send('POST', '/firewalls', { name, labels: { round: 'new' } })
    // A 503 says that nothing was written.
    if (status === 503) page.unknown.delete(name)
    if (status !== 201) return
    page.unknown.delete(name)
    const { id } = json.firewall
    page.names.set(id, name)
    page.firewalls.set(id, ['new'])
    const label = String(round)
    const put = await this.#send('PUT', `/firewalls/${id}`, { labels: { round: label } })
    if (put.status === 200) page.firewalls.set(id, [label])
    else if (put.status !== 503) page.firewalls.get(id)!.push(label)
    if (round % 3 !== 0) return
    const gone = await this.#send('DELETE', `/firewalls/${id}`)
    if (gone.status === 503) return
    page.firewalls.delete(id)
    if (gone.status === 204) page.deleted.add(id)
  }

  async #makeServer(name: string): Promise<void> {
    const body = { name, server_type: 'cpx22', image: 'debian-12', location: 'hel1' }
    const { status, json } = await this.#send('POST', '/servers', body)
    if (status !== 201) return
    this.#page.servers.add(json.server.id)
    for (const { id } of [json.action, ...json.next_actions]) this.#page.actions.add(id)
  }

  async #send(method: string, path: string, body?: unknown): Promise<Sent> {
    const page = this.#page
    const sent = await this.#keeper.send(method, path, body)
    page.requests++
    const isGood = typeof sent.status === 'number' && sent.status < 300
    const now = performance.now()
    if (isGood && this.#wasTrouble) page.longestMs = Math.max(page.longestMs, now - this.#goodAt)
    if (isGood) this.#goodAt = now
    else page.troubles.push(sent.status)
    this.#wasTrouble = !isGood
    return sent
  }
}

/** All resources of a list. */
async function listed(keeper: Keeper, family: string) {
  const all: { id: number; name: string; labels: Record<string, string>; status: string }[] = []
  for (let page: number | null = 1; page !== null; ) {
    const { status, json } = await keeper.send('GET', `/${family}?per_page=50&page=${page}`)
    assert.equal(status, 200, `${family}: ${JSON.stringify(json)}`)
    all.push(...json[family])
    page = json.meta.pagination.next_page
  }
  return all
}

async function checkPage(keeper: Keeper, page: Page): Promise<void> {
  const firewalls = new Map((await listed(keeper, 'firewalls')).map((one) => [one.id, one]))
  for (const [id, labels] of page.firewalls) {
    const found = firewalls.get(id)
    assert.ok(found, `firewall ${id} was acknowledged`)
    assert.equal(found.name, page.names.get(id))
    assert.ok(labels.includes(found.labels.round!), `firewall ${id} has ${found.labels.round}, not ${labels}`)
  }
  for (const id of page.deleted) assert.ok(!firewalls.has(id), `the deletion of firewall ${id} was acknowledged`)
  for (const { id, name } of firewalls.values())
    assert.ok(page.names.has(id) || page.unknown.has(name), `nobody asked for firewall ${name}`)
  const running = async () => (await keeper.send('GET', '/servers/actions?status=running')).json.actions
  await until(async () => (await running()).length === 0, 'all actions end')
  const servers = await listed(keeper, 'servers')
  for (const id of page.servers)
    assert.equal(servers.find((one) => one.id === id)?.status, 'running', `server ${id} was acknowledged`)
  for (const id of page.actions) {
    const { json } = await keeper.send('GET', `/actions/${id}`)
    assert.deepEqual([json.action?.status, json.action?.error], ['success', null], JSON.stringify(json))
  }
  assert.equal(new Set(servers.map(({ name }) => name)).size, servers.length, 'each name is there once')
}
