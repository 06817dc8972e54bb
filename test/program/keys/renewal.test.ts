/** Keys of Projects, and the key that encrypts these, are replaced while servers run, also when that ends anywhere. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, suite, test } from 'node:test'
import { closeAdmin, createDatabase, postgresUrl } from '../../kit/database/postgres.ts'
import { engines } from '../../kit/engines.ts'
import { bundle, call, program, type Served } from '../kit/program.ts'

const hook = join(import.meta.dirname, 'kit/ends-at.ts')

const { folder, serve, command } = program('keys')
const ending = program('keys-ending', { main: ['--import', hook, bundle] })
after(closeAdmin)

const zones = 120
/**
 * The encryptions at which a command ends: before it writes anything, when it makes the key of the Project, and within the first,
 * the second and the last transaction that seals again. The next one goes on with what is left.
 */
const moments = [1, 2, 3, 53, 20, 10]
const address = '203.0.113.1'
const keyOf = (number: number, turn = 0) => Buffer.from(`key ${number} of turn ${turn}`).toString('base64')
const primary = (tsig_key: string) => ({ address, tsig_algorithm: 'hmac-sha256', tsig_key })

function keyFile(name: string): string {
  const path = join(folder, name)
  writeFileSync(path, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
  return path
}

/** Reads and changes zones with secrets until it is told to stop; returns how many requests there were. */
async function use(servers: readonly Served[], who: number, isOver: () => boolean, keys: string[]): Promise<number> {
  let requests = 0
  for (let number = who; !isOver(); number = (number + 3) % zones, requests++) {
    const { baseUrl } = servers[requests % servers.length]!
    const read = await call(baseUrl, 'GET', `/zones/z${number}.example`)
    assert.equal(read.status, 200, JSON.stringify(read.json))
    assert.equal(read.json.zone.primary_nameservers[0].tsig_key, keys[number])
    if (requests % 4 !== 0) continue
    const next = keyOf(number, requests + 1)
    const path = `/zones/z${number}.example/actions/change_primary_nameservers`
    const changed = await call(baseUrl, 'POST', path, { primary_nameservers: [primary(next)] })
    assert.equal(changed.status, 201, JSON.stringify(changed.json))
    keys[number] = next
  }
  return requests
}

for (const engine of engines) {
  suite(`Keys that are replaced on ${engine}`, () => {
    async function begin(name: string) {
      const database =
        engine === 'sqlite' ? `sqlite:${join(folder, `${name}.db`)}` : (await createDatabase(await postgresUrl())).url
      const first = keyFile(`${engine}-${name}.key`)
      const count = engine === 'sqlite' ? 1 : 2
      const servers: Served[] = []
      const keys = Array.from({ length: zones }, (_, number) => keyOf(number))
      const startAll = async (...options: string[]) => {
        for (const server of servers.splice(0)) await server.stop()
        while (servers.length < count) servers.push(await serve(database, ...options))
      }
      await startAll('--key-file', first)
      for (const [number, key] of keys.entries()) {
        const given = { name: `z${number}.example`, mode: 'secondary', primary_nameservers: [primary(key)] }
        const made = await call(servers[0]!.baseUrl, 'POST', '/zones', given)
        assert.equal(made.status, 201, JSON.stringify(made.json))
      }
      const show = async () => (await command('secrets', 'show', '--database', database)).stdout
      const readsAll = async () => {
        for (const [number, key] of keys.entries()) {
          const { json } = await call(servers.at(-1)!.baseUrl, 'GET', `/zones/z${number}.example`)
          assert.equal(json.zone.primary_nameservers[0].tsig_key, key)
        }
      }
      return { database, first, servers, keys, startAll, show, readsAll }
    }

    test('of Projects: no request fails meanwhile, and a command that is killed is ended by the next one', async () => {
      const { database, first, servers, keys, startAll, show, readsAll } = await begin('renewed')
      const renew = ['secrets', 'renew', '--database', database, '--key-file', first]
      let isOver = false
      const users = [0, 1, 2].map((who) => use(servers, who, () => isOver, keys))
      for (const moment of moments) {
        process.env.WOLKE_TEST_ENDS_AT = String(moment)
        const { code, stderr } = await ending.command(...renew)
        assert.deepEqual([code, stderr], [null, ''], `it does not end at encryption ${moment}`)
      }
      assert.match(await show(), /^replaced keys: [1-9]/m)
      const told = await command('doctor', '--database', database, '--key-file', first)
      assert.match(told.stdout, /replaced, and not yet everywhere[\s\S]*wolke secrets renew/)
      const { code, stdout, stderr } = await command(...renew)
      assert.equal(code, 0, stderr)
      assert.match(stdout, /^Projects with a new key: \d+; secrets that were encrypted again: \d+\n$/)
      isOver = true
      const requests = await Promise.all(users)
      assert.ok(requests.every((count) => count > 0))
      assert.match(await show(), /^replaced keys: 0, with 0 secrets$/m)
      await readsAll()
      await startAll('--key-file', first)
      await readsAll()
    })

    test('of the installation: in the wrong order it is refused, and in the right one nobody is held up', async () => {
      const { database, first, servers, keys, startAll, show, readsAll } = await begin('rotated')
      const next = keyFile(`${engine}-rotated-next.key`)
      const both = ['--key-file', next, '--previous-key-file', first]
      const rotate = () => command('secrets', 'rotate', '--database', database, ...both)
      const early = await rotate()
      assert.equal(early.code, 1)
      assert.match(early.stderr, /^wolke: the key \w{16} is not known to \S+:\d+.*: start each server again with/)
      await readsAll()
      if (servers.length > 1) {
        await servers[0]!.stop()
        servers[0] = await serve(database, ...both)
        const given = { name: 'new', mode: 'secondary', primary_nameservers: [primary(keyOf(0))] }
        for (const { baseUrl } of servers) assert.equal((await call(baseUrl, 'GET', '/zones/z1.example')).status, 200)
        assert.equal((await call(servers[0]!.baseUrl, 'POST', '/zones', { ...given, name: 'new.example' })).status, 201)
        const read = await call(servers[1]!.baseUrl, 'GET', '/zones/new.example')
        assert.equal(read.json.zone.primary_nameservers[0].tsig_key, keyOf(0))
        assert.match((await rotate()).stderr, /is not known to/)
      }
      await startAll(...both)
      let isOver = false
      const users = [0, 1, 2].map((who) => use(servers, who, () => isOver, keys))
      const { code, stderr } = await rotate()
      assert.equal(code, 0, stderr)
      isOver = true
      await Promise.all(users)
      assert.doesNotMatch(await show(), /still needed/)
      await startAll('--key-file', next)
      await readsAll()
      for (const server of servers) await server.stop()
      const refused = await command('serve', '--listen', '127.0.0.1:0', '--database', database, '--key-file', first)
      assert.match(refused.stderr, /need the key \w{16}, which is not at hand/)
    })
  })
}
