/** Labs for tests: what a cloud is at a moment, as its tables, and requests about it. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { readSnapshot } from '../../src/lab/snapshots/format.ts'
import type { Client, World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { actionScenarios, proofs, samples } from '../kit/proofs.ts'
import { drawing, partsIn, requestKinds, traffic } from '../kit/traffic.ts'

export const startMs = Date.parse('2026-11-28T12:00:00Z')

export const frozen = () => new LabClock(startMs, 'frozen')

/** Requests of whoever administers a cloud; `url` is its base URL. */
export function labAt(client: Client, url: string) {
  const base = `${new URL(url).origin}${wolkeBase}`
  return {
    url,
    save: (name: string) => client.put(`${base}/snapshots/${name}`),
    read: async (name: string) =>
      Buffer.from((await done(client.get(`${base}/snapshots/${name}/file`))).file as string, 'base64'),
    load: (name: string, file: Buffer) =>
      client.put(`${base}/snapshots/${name}/file`, { file: file.toString('base64') }),
    reset: () => client.post(`${base}/reset`),
    restore: (name: string) => client.post(`${base}/snapshots/${name}/restore`),
    fork: async (body: object = {}) => (await done(client.post(`${base}/forks`, body))).fork,
    endFork: (id: number) => client.delete(`${base}/forks/${id}`),
    advance: (body: object) => done(client.post(`${base}/clock/advance`, body)),
    events: async (limit = 1_000) => (await done(client.get(`${base}/clock/events?limit=${limit}`))).events,
  }
}

export type Lab = ReturnType<typeof labAt>

export type Tables = Awaited<ReturnType<typeof everything>>

/** All rows of all tables of a cloud at this moment, by table, and what its infrastructure knows. */
export async function everything(lab: Lab): Promise<Record<string, string[]>> {
  await done(lab.save('everything'))
  return tablesIn(await lab.read('everything'))
}

/** The same of a file. */
export async function tablesIn(file: Buffer): Promise<Record<string, string[]>> {
  const { image, infrastructure } = await readSnapshot(file)
  const database = new DatabaseSync(':memory:')
  database.deserialize(image)
  const tables = rowsIn(database)
  database.close()
  return { ...tables, infrastructure: [JSON.stringify(infrastructure)] }
}

/** All rows of all tables of a database, by table. */
export function rowsIn(database: DatabaseSync): Record<string, string[]> {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all()
  const found = tables.map(({ name }) => {
    const rows = database.prepare(`select * from "${name}"`).all()
    return [String(name), rows.map((row) => JSON.stringify(row)).sort()] as const
  })
  return Object.fromEntries(found)
}

/** Numbers from 0 to below a bound, always the same ones (mulberry32). */
export function numbers(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

/** Something of every family. */
export async function fill(world: World): Promise<void> {
  for (const { prepare, isShared } of Object.values(samples)) if (!isShared) await prepare(world)
  await world.settle()
}

/** What every action of every family leaves behind. */
export async function fillWhole(world: World): Promise<void> {
  await fill(world)
  for (const scenario of Object.values(actionScenarios)) {
    const { act } = await scenario(world)
    await act(world.api)
    await world.settle()
  }
}

/**
 * All of a cloud, but for how often actions were claimed, as a fork claims anew those that were under way, and for what was
 * measured from time to time.
 */
export async function everythingButClaims(lab: Lab): Promise<Tables> {
  const measured = new Set([...proofs.values()].flatMap((proof) => proof.measured ?? []))
  const tables = Object.fromEntries(Object.entries(await everything(lab)).filter(([name]) => !measured.has(name)))
  const without = (name: string, changing: RegExp) => tables[name]!.map((row) => row.replaceAll(changing, ''))
  return {
    ...tables,
    action: without('action', /"(fence|attempts)":\d+/g),
    // The use of tokens is written in rounds of real time.
    management_token: without('management_token', /"last_used":\d+/g),
  }
}

/** Requests of all families, always the same ones for a seed, with something done after each; they may be refused. */
export async function disturb(
  api: Client,
  seed: number,
  count: number,
  afterEach?: () => Promise<unknown>,
): Promise<void> {
  const next = numbers(seed)
  const draw = drawing({
    number: next,
    async any(family) {
      const query = traffic.get(family)?.query
      const found = (await done(api.get(`/${family}?per_page=50${query ? `&${query}` : ''}`)))[family]
      return found[next(found.length)]
    },
    parts: async (path) => partsIn(path, (await api.get(path)).body),
  })
  for (let sent = 0; sent < count; sent++) {
    const request = await requestKinds[next(requestKinds.length)]!.make(draw)
    if (request) await api.request(request.method, request.path, { body: request.body })
    await afterEach?.()
  }
}

/** What tells of the requests of the test itself, and what is encrypted anew each time. */
export const ownTables = new Set(['audit', 'key_canary', 'project_key', 'installation_secret'])

/** Asserts that two clouds have the same rows in every table, and the same infrastructure. */
export function assertSame(found: Tables, expected: Tables): void {
  assert.deepEqual(Object.keys(found), Object.keys(expected))
  for (const [name, rows] of Object.entries(expected)) {
    if (ownTables.has(name)) assert.ok(name === 'audit' || found[name]!.length === rows.length, name)
    else assert.deepEqual(found[name], rows, name)
  }
}
