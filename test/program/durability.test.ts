/** What was answered is there, however the processes that answered it end. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../kit/database/bare-database.ts'
import { closeAdmin, createDatabase, postgresUrl } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { call, makeKey, program, type Served } from './kit/program.ts'

const { folder: dir, serve } = program('durability')

after(closeAdmin)

/** What a client knows of one SSH key: what was answered last, and what it asked for since without an answer. */
interface Known {
  answered: string | undefined
  asked?: { state: string | undefined }
}

/** A client that changes its own keys and remembers what it was told. */
class Writer {
  readonly keys = new Map<number, Known>()
  /** Names of creations without an answer: they may have happened or not. */
  readonly unsure = new Set<string>()
  answers = 0
  #stopping = false
  #baseUrl: string
  readonly #name: string
  readonly #done: Promise<void>

  constructor(baseUrl: string, name: string) {
    this.#baseUrl = baseUrl
    this.#name = name
    this.#done = this.#work()
    // Whoever stops it hears of it.
    this.#done.catch(() => undefined)
  }

  /** Ends after the request that is under way. */
  stop(): Promise<void> {
    this.#stopping = true
    return this.#done
  }

  async #work(): Promise<void> {
    for (let i = 0; !this.#stopping; i++) {
      try {
        await this.#change(i)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        // The server is gone: what was asked stays unanswered.
        return
      }
    }
  }

  async #change(i: number): Promise<void> {
    const own = [...this.keys].filter(([, known]) => known.answered !== undefined && !known.asked)
    const [id, known] = own[i % 7] ?? []
    if (id === undefined || known === undefined || i % 3 === 0) return this.#create(`${this.#name}-${i}`)
    const name = i % 3 === 1 ? `${this.#name}-${i}-renamed` : undefined
    known.asked = { state: name }
    const answer =
      name === undefined
        ? await call(this.#baseUrl, 'DELETE', `/ssh_keys/${id}`)
        : await call(this.#baseUrl, 'PUT', `/ssh_keys/${id}`, { name, labels: { name } })
    assert.equal(answer.status, name === undefined ? 204 : 200)
    this.answers++
    known.answered = name
    delete known.asked
  }

  async #create(name: string): Promise<void> {
    this.unsure.add(name)
    const body = { name, public_key: makeKey(), labels: { name } }
    const { status, json } = await call(this.#baseUrl, 'POST', '/ssh_keys', body)
    assert.equal(status, 201)
    this.answers++
    this.unsure.delete(name)
    this.keys.set((json as { ssh_key: { id: number } }).ssh_key.id, { answered: name })
  }
}

interface Listed {
  readonly id: number
  readonly name: string
  readonly labels: Record<string, string>
}

async function list(baseUrl: string, query = ''): Promise<Listed[]> {
  const all: Listed[] = []
  for (let page = 1; ; page++) {
    const { status, json } = await call(baseUrl, 'GET', `/ssh_keys?per_page=50&page=${page}${query}`)
    assert.equal(status, 200)
    const { ssh_keys: keys } = json as { ssh_keys: Listed[] }
    all.push(...keys)
    if (keys.length < 50) return all
  }
}

/** Holds what is there against what was answered; what was left unanswered is settled by what is there. */
async function check(baseUrl: string, writers: readonly Writer[]): Promise<void> {
  const there = new Map((await list(baseUrl)).map((key) => [key.id, key]))
  for (const key of there.values()) assert.deepEqual(key.labels, { name: key.name }, 'a change is there as a whole')
  for (const { keys, unsure } of writers) {
    for (const [id, known] of keys) {
      const name = there.get(id)?.name
      const possible = known.asked ? [known.answered, known.asked.state] : [known.answered]
      assert.ok(possible.includes(name), `key ${id} is ${name}, but was answered as ${possible}`)
      there.delete(id)
    }
    for (const [id, key] of there) if (unsure.has(key.name)) there.delete(id)
  }
  assert.deepEqual([...there.values()], [], 'nothing is there that nobody asked for')
}

/** Looks whether the label index, which is written beside the rows, says the same as the rows. */
async function checkLabels(baseUrl: string): Promise<void> {
  const selected = await list(baseUrl, '&label_selector=name')
  assert.deepEqual(selected.map(({ id }) => id).sort(), (await list(baseUrl)).map(({ id }) => id).sort())
}

test('what SQLite has answered survives being killed at any moment', async () => {
  const path = join(dir, 'wolke.db')
  const writers: Writer[] = []
  for (let round = 0; round < 7; round++) {
    const server = await serve(`sqlite:${path}`)
    await check(server.baseUrl, writers)
    const now = Array.from({ length: 6 }, (_, i) => new Writer(server.baseUrl, `r${round}w${i}`))
    writers.push(...now)
    await until(() => now.reduce((sum, { answers }) => sum + answers, 0) > 20, 'the clients are at work')
    await delay(Math.random() * 60)
    await (round === 0 ? server.stop() : server.kill())
    await Promise.all(now.map((writer) => writer.stop()))
    const file = new DatabaseSync(path)
    assert.deepEqual({ ...file.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    file.close()
  }
  const server = await serve(`sqlite:${path}`)
  await check(server.baseUrl, writers)
  await checkLabels(server.baseUrl)
  await server.kill()
  assert.ok(writers.reduce((sum, { answers }) => sum + answers, 0) > 140)
})

test('what PostgreSQL has answered is there for the other server when one is killed', onPostgres, async () => {
  const { url, drop } = await createDatabase(await postgresUrl())
  try {
    // Two that start at once on an empty database share the work of making its schema.
    const [survivor, ...victims] = await Promise.all([serve(url), serve(url)])
    const others = Array.from({ length: 3 }, (_, i) => new Writer(survivor.baseUrl, `other${i}`))
    const writers = [...others]
    for (let round = 0; round < 2; round++) {
      const victim = victims.pop() ?? (await serve(url))
      const now = Array.from({ length: 3 }, (_, i) => new Writer(victim.baseUrl, `r${round}w${i}`))
      writers.push(...now)
      await until(() => now.reduce((sum, { answers }) => sum + answers, 0) > 10, 'the clients are at work')
      await delay(Math.random() * 40)
      await victim.kill()
      await Promise.all(now.map((writer) => writer.stop()))
    }
    const before = others.map(({ answers }) => answers)
    await until(() => others.every(({ answers }, i) => answers > before[i]!), 'the survivor keeps answering')
    await Promise.all(others.map((writer) => writer.stop()))
    await check(survivor.baseUrl, writers)
    await checkLabels(survivor.baseUrl)
    for (const { asked } of others.flatMap(({ keys }) => [...keys.values()])) assert.equal(asked, undefined)
    await survivor.kill()
  } finally {
    await drop()
  }
})

test('a zone whose import is killed is what it was, and what was written of the other is deleted', async () => {
  const path = join(dir, 'zones.db')
  const first = await serve(`sqlite:${path}`)
  const zone = '/zones/example.com'
  assert.equal((await call(first.baseUrl, 'POST', '/zones', { name: 'example.com', mode: 'primary' })).status, 201)
  const exported = async ({ baseUrl }: Served) => {
    const { json } = await call(baseUrl, 'GET', `${zone}/zonefile`)
    return (json as { zonefile: string }).zonefile
  }
  const before = await exported(first)
  const names = Array.from({ length: 15_000 }, (_, i) => `n${i} A 192.0.2.1\n`)
  const zonefile = before.replace(/^\$.*\n/gm, '') + names.join('')
  const importing = call(first.baseUrl, 'POST', `${zone}/actions/import_zonefile`, { zonefile }).catch(() => undefined)
  const file = new DatabaseSync(path)
  const rows = () => file.prepare('select count(*) as count from rrset').get()!.count as number
  await until(() => rows() > 1_000, 'the import is at work')
  await first.kill()
  assert.equal(await importing, undefined)
  assert.ok(rows() < names.length, 'it was killed in the middle')
  file.exec('update zone_content set expires = 1 where expires is not null')
  const second = await serve(`sqlite:${path}`)
  assert.equal(await exported(second), before)
  await until(() => rows() === 2, 'the rest is deleted')
  assert.equal((await call(second.baseUrl, 'POST', `${zone}/actions/import_zonefile`, { zonefile })).status, 201)
  file.close()
  await second.kill()
})
