/** Snapshots by the command line, between servers of different keys, and a restore that a crash cuts off. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { suite, test } from 'node:test'
import { makeClient } from '../kit/http/client.ts'
import { done } from '../kit/proof.ts'
import { tablesIn } from '../lab/kit.ts'
import { program, token } from './kit/program.ts'

const { folder, serve, command } = program('snapshots')

const pathOf = (name: string) => join(folder, name)

/** A lab in memory, and how commands reach it. */
async function lab(name: string) {
  const ready = pathOf(name)
  const server = await serve('memory', '--ready-file', ready)
  return { server, api: makeClient(server.baseUrl, token), of: ['--ready-file', ready] }
}

const names = async (api: ReturnType<typeof makeClient>) =>
  (await done(api.get('/firewalls'))).firewalls.map(({ name }: { name: string }) => name)

suite('wolke snapshot', () => {
  test('saves, lists, loads and deletes, and takes a state with its secrets to another server', async () => {
    const [one, other] = [await lab('one.json'), await lab('other.json')]
    await done(one.api.post('/firewalls', { name: 'kept' }))
    const origin = new URL(one.server.baseUrl).origin
    const root = await (await fetch(`${origin}/ca.pem`)).text()
    const file = pathOf('base.wolke')
    const saved = await command('snapshot', 'save', 'base', file, ...one.of)
    assert.deepEqual([saved.code, saved.stdout], [0, `Snapshot base saved to ${file}\n`], saved.stderr)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('base.wolke')),
      ['base.wolke'],
    )
    await done(one.api.post('/firewalls', { name: 'later' }))
    assert.equal((await command('snapshot', 'load', 'base', ...one.of)).code, 0)
    assert.deepEqual(await names(one.api), ['kept'])
    const loaded = await command('snapshot', 'load', 'copy', file, ...other.of)
    assert.equal(loaded.code, 0, loaded.stderr)
    assert.deepEqual(await names(other.api), ['kept'])
    assert.equal(await (await fetch(`${new URL(other.server.baseUrl).origin}/ca.pem`)).text(), root)
    const listed = await command('snapshot', 'list', ...other.of)
    assert.match(listed.stdout, /^copy\t2\d{3}-.*Z\t\d+\n$/)
    assert.equal((await command('snapshot', 'delete', 'copy', ...other.of)).code, 0)
    assert.equal((await command('snapshot', 'list', ...other.of)).stdout, '')
  })

  test('finds after a reset what a fresh start has', async () => {
    const { server, api, of } = await lab('fresh.json')
    const [fresh, after] = [pathOf('fresh.wolke'), pathOf('after.wolke')]
    assert.equal((await command('snapshot', 'save', 'fresh', fresh, ...of)).code, 0)
    const { lab_token } = JSON.parse(readFileSync(of[1]!, 'utf8'))
    const own = makeClient(`${new URL(server.baseUrl).origin}/wolke/v1`, lab_token)
    await done(api.post('/firewalls', { name: 'goes' }))
    const yaml = readFileSync(join(import.meta.dirname, '../lab/seed/everything.yaml'), 'utf8')
    await done(own.post('/seed', { yaml }))
    await done(own.post('/people', { email: 'goes@example.com' }))
    assert.equal((await own.post('/reset')).status, 204)
    assert.equal((await command('snapshot', 'save', 'after', after, ...of)).code, 0)
    const [before, found] = [await tablesIn(readFileSync(fresh)), await tablesIn(readFileSync(after))]
    // Secrets are encrypted anew each time, tokens note their use, and the log has the requests of this test.
    for (const name of ['audit', 'key_canary', 'installation_secret', 'management_token']) {
      delete before[name]
      delete found[name]
    }
    assert.deepEqual(found, before)
  })

  test('is refused, with its reason, where Load Balancers carry traffic', async () => {
    const ready = pathOf('real.json')
    await serve('memory', '--ready-file', ready, '--load-balancers', 'embedded')
    const { code, stderr } = await command('snapshot', 'save', 'base', '--ready-file', ready)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^wolke: this cloud cannot be copied or replaced, because it has Load Balancers that carry traffic/,
    )
  })

  test('says in one line what is wrong', async () => {
    const { of } = await lab('wrong.json')
    const bad = pathOf('bad.wolke')
    writeFileSync(bad, 'no snapshot')
    const cases: [string[], RegExp][] = [
      [['load', 'bad', bad, ...of], /^wolke: .*file is not a snapshot of Wolke\n$/],
      [['load', 'missing', ...of], /^wolke: .*missing.*\n$/],
      [['load', 'bad', pathOf('nowhere'), ...of], /^wolke: ENOENT.*\n$/],
      [['save', 'a b', ...of], /^wolke: .*name must be .*\n$/],
      [['list'], /^wolke: --endpoint or --ready-file .*\n$/],
      [['list', '--endpoint', 'http://127.0.0.1:1', '--token', 'x'], /^wolke: .*does not answer.*\n$/],
    ]
    for (const [args, message] of cases) {
      const { code, stderr } = await command('snapshot', ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, message)
    }
  })

  test('leaves the old state or the new one when a restore is cut off', async () => {
    const path = pathOf('cut.db')
    for (const rounds of [1, 2, 3, 5, 8]) {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'kit/restoring.ts'), path], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let said = 0
      for await (const _ of createInterface(child.stdout)) {
        said += 1
        if (said >= rounds) child.kill('SIGKILL')
      }
      assert.ok(said >= rounds)
      const database = new DatabaseSync(path)
      assert.equal(Object.values(database.prepare('pragma integrity_check').get()!)[0], 'ok')
      const values = database
        .prepare('select distinct value from thing')
        .all()
        .map(({ value }) => value)
      database.close()
      assert.equal(values.length, 1)
      assert.ok(['a', 'b'].includes(String(values[0])))
    }
    assert.ok(readFileSync(path).length > 0)
  })
})
