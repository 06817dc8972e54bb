/** What the health pages tell while the database takes no writes. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { openLog } from '../../src/kernel/process/log.ts'
import { version } from '../../src/version.ts'
import { run, until } from '../kit/database/bare-database.ts'
import { execute, startPostgres } from '../kit/database/postgres.ts'
import { onPostgres } from '../kit/engines.ts'
import { forProjects, type World } from '../kit/harness.ts'
import { fill, mount } from '../kit/samples/disks.ts'
import { call, program } from './kit/program.ts'

const { folder, serve } = program('health')

async function page({ anonymous, baseUrl }: World, path: string) {
  const { status, body } = await anonymous.get(baseUrl.replace('/v1', path))
  return { status, body }
}

/** Takes the room away from a world's database; what it returns gives it back. */
async function refuseWrites({ database, db }: World): Promise<() => Promise<void>> {
  if (database.engine === 'sqlite') {
    const [{ page_count: pages } = { page_count: 0 }] = await run<{ page_count: number }>(db, 'pragma page_count')
    await run(db, `pragma max_page_count = ${pages}`)
    return async () => void (await run(db, 'pragma max_page_count = 1000000'))
  }
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const name = pg.escapeIdentifier(client.database!)
  const others = 'datname = current_database() and pid <> pg_backend_pid()'
  // A server that became a standby says the same to whoever writes.
  const set = async (value: 'on' | 'off') => {
    await client.query('set default_transaction_read_only = off')
    await client.query(`alter database ${name} set default_transaction_read_only = ${value}`)
    await client.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${others}`)
  }
  await set('on')
  return async () => {
    await set('off')
    await client.end()
  }
}

forProjects('The health pages', (open) => {
  test('tell reads and writes apart, and see by themselves when writes work again', async () => {
    const lines: { msg: string; level: number }[] = []
    const log = openLog('info', { write: (line) => void lines.push(JSON.parse(line)) })
    const world = await open({ log, runActions: false })
    const { api } = world
    const well = { status: 'ok', reads: 'ok', writes: 'ok', database: 'ok', version }
    assert.deepEqual(await page(world, '/health'), { status: 200, body: well })
    const { id } = (await api.post('/firewalls', { name: 'a', labels: { a: 'b' } })).body.firewall

    const allowWrites = await refuseWrites(world)
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`label-${i}`, 'x'.repeat(60)]))
    let made = 0
    await until(async () => {
      const { status, body } = await api.post('/firewalls', { name: `full-${++made}`, labels })
      assert.ok(status === 201 || body.error.code === 'unavailable', JSON.stringify(body))
      return status === 503
    }, 'writes are refused')
    const { status, body } = await page(world, '/health')
    const error = { code: 'unavailable', message: 'the database takes no writes', details: null }
    assert.deepEqual([status, body], [503, { ...well, status: 'degraded', writes: 'failing', error }])
    const reads = await page(world, '/health/reads')
    assert.deepEqual(reads, { status: 200, body: { ...well, status: 'degraded', writes: 'failing' } })
    assert.equal((await api.get(`/firewalls/${id}`)).status, 200)

    await allowWrites()
    await until(async () => (await page(world, '/health')).status === 200, 'writes work again')
    assert.deepEqual(await page(world, '/health/reads'), { status: 200, body: well })
    assert.deepEqual(
      lines.filter(({ msg }) => /^writes/.test(msg)).map(({ msg, level }) => [msg, level]),
      [
        ['writes fail', 50],
        ['writes work again', 30],
      ],
    )
    assert.equal((await api.post('/firewalls', { name: 'again' })).status, 201)
  })

  test('write nothing while all is well', async (t) => {
    const world = await open({ runActions: false })
    const transact = t.mock.method(world.db, 'transact')
    for (let i = 0; i < 20; i++) assert.equal((await page(world, '/health')).status, 200)
    assert.equal(transact.mock.callCount(), 0)
  })
})

test(
  'A full disk under PostgreSQL refuses writes, leaves reads alone, and is over when there is room',
  onPostgres,
  async (t) => {
    const disk = mkdtempSync('/var/tmp/wolke-disk-')
    // Whoever runs the database has to own its disk.
    const isMounted = mount(t, disk, 'size=64m,mode=700,uid=65534,gid=65534')
    t.after(() => rmdirSync(disk))
    if (!isMounted) return
    const postgres = await startPostgres()
    t.after(() => postgres.stop())
    await execute(postgres.url, `create tablespace small location '${disk}'`, 'create database wolke tablespace small')
    const url = postgres.url.replace(/postgres$/, 'wolke')
    const server = await serve(url, '--key-file', join(folder, 'key'))
    const root = server.baseUrl.slice(0, -'/v1'.length)
    const page = async (path: string) => (await call(root, 'GET', path)).status
    const labels = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`label-${i}`, 'x'.repeat(60)]))
    const [taken, refused] = [[] as string[], [] as string[]]
    const write = async (name: string) => {
      const { status, json } = await call(server.baseUrl, 'POST', '/firewalls', { name, labels })
      assert.ok(status === 201 || json.error.code === 'unavailable', JSON.stringify(json))
      ;(status === 201 ? taken : refused).push(name)
      return status
    }
    await write('before')
    fill(join(disk, 'filler'))
    await until(async () => (await write(`full-${taken.length}`)) === 503, 'writes are refused')
    assert.deepEqual([await page('/health'), await page('/health/reads')], [503, 200])
    assert.equal((await call(server.baseUrl, 'GET', '/firewalls?name=before')).json.firewalls.length, 1)
    rmSync(join(disk, 'filler'))
    await until(async () => (await page('/health')) === 200, 'writes work again')
    assert.equal(await write('after'), 201)
    const isThere = async (name: string) =>
      (await call(server.baseUrl, 'GET', `/firewalls?name=${name}`)).json.firewalls.length === 1
    for (const name of taken) assert.ok(await isThere(name), name)
    for (const name of refused) assert.ok(!(await isThere(name)), name)
  },
)
