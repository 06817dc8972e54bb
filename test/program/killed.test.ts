/**
 * Servers that are killed while their cloud changes: by a restore of what was kept, by the load of a file, and by a reset. What
 * the next server finds is the old state or the new one, in every table.
 */
import assert from 'node:assert/strict'
import { readFileSync, watch, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { makeClient } from '../kit/http/client.ts'
import { done } from '../kit/proof.ts'
import { labAt, ownTables, rowsIn, type Tables, tablesIn } from '../lab/kit.ts'
import { program, type Served, token } from './kit/program.ts'

const { folder, serve, command } = program('killed')
const path = join(folder, 'killed.db')
const database = `sqlite:${path}`

/** The numbers of kills of each way, spread over what the way writes. */
const killsEach = 4

/**
 * Kills a server after so many changes of the files of its database, or once it has answered; returns how many there were.
 * What happens is counted in writes, and not in time.
 */
async function killWithin(server: Served, moment: number, ask: () => Promise<unknown>): Promise<number> {
  let seen = 0
  const watcher = watch(dirname(path), (_, name) => {
    if (name?.startsWith(basename(path)) && ++seen === moment) server.child.kill('SIGKILL')
  })
  try {
    await ask().catch((error: NodeJS.ErrnoException) => assert.ok(error.code, String(error)))
    // What was written last is told after the answer.
    await new Promise(setImmediate)
  } finally {
    watcher.close()
    await server.kill()
  }
  return seen
}

/** A lab at a time that stands still, and how it is asked. */
async function lab(at: string, operator: string, ...more: string[]) {
  const options = ['--lab', '--now', '2026-11-28T12:00:00Z', '--clock', 'frozen', ...more]
  const server = await serve(at, ...options)
  const lab = labAt(makeClient(server.baseUrl, operator), server.baseUrl)
  return { server, lab, api: makeClient(server.baseUrl, token) }
}

type Opened = Awaited<ReturnType<typeof lab>>

/** What each change of a cloud leads to, and how it is asked for. */
const ways: readonly ((opened: Opened, file: Buffer) => Promise<{ next: string; ask: () => Promise<unknown> }>)[] = [
  async ({ lab }) => ({ next: 'beginning', ask: () => lab.restore('beginning') }),
  async ({ lab }, file) => {
    await done(lab.load('loaded', file))
    return { next: 'loaded', ask: () => lab.restore('loaded') }
  },
  async ({ lab }) => ({ next: 'beginning', ask: () => lab.reset() }),
]

/** What tells of the requests of the test, is encrypted anew each time, in memory alone, or filed when there is time for it. */
const others = new Set([...ownTables, 'infrastructure', 'action_history', 'action_unfiled'])

/** Columns that change by themselves: when tokens were used, and what parents say of zones. */
const moving = /"(last_used|delegat\w+)":("(\\.|[^"\\])*"|\w+)/g

/** A state as a text, without what changes by itself. */
function stateIn(tables: Tables): string {
  const compared = Object.entries(tables).filter(([name]) => !others.has(name))
  return compared.map(([name, rows]) => [name, ...rows].join('\n').replaceAll(moving, '')).join('\n')
}

/** The state of a database that nobody has open any more. */
function stateLeft(): string {
  const left = new DatabaseSync(path)
  try {
    assert.equal(Object.values(left.prepare('pragma integrity_check').get()!)[0], 'ok')
    return stateIn(rowsIn(left))
  } finally {
    left.close()
  }
}

/** The file of a cloud with one of everything that does nothing by itself. */
async function fileOfEverything(): Promise<Buffer> {
  const ready = join(folder, 'everything.json')
  const text = readFileSync(join(import.meta.dirname, '../lab/seed/everything.yaml'), 'utf8')
  const seed = join(folder, 'seed.yaml')
  writeFileSync(seed, text.replaceAll(/ +(backups|rescue): true\n/g, ''))
  const options = ['--now', '2026-11-28T12:00:00Z', '--clock', 'frozen', '--seed', seed, '--ready-file', ready]
  const server = await serve('memory', ...options)
  const { lab_token } = JSON.parse(readFileSync(ready, 'utf8'))
  const lab = labAt(makeClient(server.baseUrl, lab_token), server.baseUrl)
  await done(lab.save('everything'))
  const file = await lab.read('everything')
  await server.stop()
  return file
}

suite('A server that is killed while its cloud changes', () => {
  test('leaves the old state or the new one, in every table', async () => {
    const file = await fileOfEverything()
    await (await lab(database, '')).server.stop()
    const created = await command('token', 'create', '--management', '--name', 'lab', '--database', database)
    assert.equal(created.code, 0, created.stderr)
    const operator = created.stdout.trim()
    let cutOff = 0
    let opened = await lab(database, operator)
    const read = async (name: string) => stateIn(await tablesIn(await opened.lab.read(name)))
    /** How much each way writes until it is answered. */
    const writes: number[] = []
    for (let kill = -ways.length; kill < killsEach * ways.length; kill++) {
      const way = (kill + ways.length) % ways.length
      await done(opened.lab.save('beginning'))
      await done(opened.api.post('/firewalls', { name: `kill${kill}` }))
      const { next, ask } = await ways[way]!(opened, file)
      await done(opened.lab.save('before'))
      const [old, after] = [await read('before'), await read(next)]
      assert.notEqual(old, after)
      const share = (kill + 1) / (killsEach * ways.length)
      const moment = kill < 0 ? Number.POSITIVE_INFINITY : Math.ceil(share * writes[way]!)
      const seen = await killWithin(opened.server, moment, ask)
      const left = stateLeft()
      assert.ok(left === (kill < 0 ? after : old) || left === after, `killed after ${moment} of ${writes[way]} writes`)
      if (kill < 0) writes.push(seen)
      else if (left === old) cutOff++
      opened = await lab(database, operator)
    }
    await opened.server.stop()
    assert.ok(cutOff > 0, 'some are killed before the new state is there')
  })
})
