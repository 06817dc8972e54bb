/** Snapshots as files: another installation loads them, and what is no such file changes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newServer } from '../../src/families/servers/proof.ts'
import {
  createManagementToken,
  keepManagementTokens,
  listManagementTokens,
} from '../../src/kernel/access/management-tokens.ts'
import { wolkeBase } from '../../src/kernel/contract/bases.ts'
import { migrate } from '../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../src/kernel/data/open.ts'
import { unlock } from '../../src/kernel/secrets/installation.ts'
import { randomKey, toKek } from '../../src/kernel/secrets/kek.ts'
import { LabClock } from '../../src/lab/clock.ts'
import { readSnapshot, type Snapshotted, writeSnapshot } from '../../src/lab/snapshots/format.ts'
import { manager } from '../../src/management/proof.ts'
import { migrations } from '../../src/migrations/index.ts'
import { dump } from '../kit/database/dump.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { numbers } from './kit.ts'

const startMs = Date.parse('2026-11-28T12:00:00Z')
const start = () => new LabClock(startMs, 'frozen')

async function labOf(world: World) {
  const client = await manager(world)
  const base = `${new URL(world.baseUrl).origin}${wolkeBase}`
  const read = async (name: string) =>
    Buffer.from((await done(client.get(`${base}/snapshots/${name}/file`))).file as string, 'base64')
  return {
    read,
    save: (name: string) => client.put(`${base}/snapshots/${name}`),
    load: (name: string, file: Uint8Array) =>
      client.put(`${base}/snapshots/${name}/file`, { file: Buffer.from(file).toString('base64') }),
    restore: (name: string) => client.post(`${base}/snapshots/${name}/restore`),
    list: async () => (await done(client.get(`${base}/snapshots`))).snapshots,
    clock: () => client.get(`${base}/clock`),
  }
}

const names = async ({ api }: Pick<World, 'api'>) =>
  (await done(api.get('/servers'))).servers.map(({ name }: { name: string }) => name)

/** A file with a database that has some migrations. */
async function fileWith(some: typeof migrations, change: Partial<Snapshotted> = {}): Promise<Buffer> {
  const key = randomKey()
  const clock = start()
  const db = await openDatabase({ engine: 'sqlite', path: ':memory:' }, { clock, databaseNow: clock.now })
  await migrate(db, some)
  await unlock(db, { current: toKek(key) })
  const image = await db.image!()
  await db.close()
  const about = { wolke: '0.0.1', schema: some.at(-1)!.id, nowMs: startMs, mode: 'frozen' as const, key }
  return writeSnapshot({ ...about, image, infrastructure: {}, ...change })
}

forEachDatabase('The file of a snapshot', (open, engineName) => {
  test('does not shut out whoever administers the cloud that loads it', async () => {
    const [from, to] = [await open(), await open()]
    const token = await from.db.transact((tx) =>
      createManagementToken(tx, { name: 'mine', created: '2026-11-28T12:00:00Z' }),
    )
    for (let times = 0; times < 2; times++) await keepManagementTokens(to.db, from.db.query)
    const found = await listManagementTokens(to.db.query)
    assert.deepEqual(
      found.map(({ name, tail }) => [name, tail]),
      [['mine', token.token.slice(-4)]],
    )
  })

  if (engineName === 'postgres') {
    test('is refused where processes share a database', async () => {
      const lab = await labOf(await open({ lab: start(), alone: true }))
      const answer = await lab.load('one', Buffer.from('file'))
      assert.equal(answer.status, 422)
      assert.equal(answer.body.error.code, 'unsupported_error')
    })
    return
  }

  test('brings another installation into its state, with what the infrastructure knew and whoever administers that', async () => {
    const [from, to] = [await open({ lab: start(), alone: true }), await open({ lab: new LabClock(), alone: true })]
    const [lab, there] = [await labOf(from), await labOf(to)]
    const id = await newServer(from.api, 'travels')
    await from.settle()
    const { server } = await done(from.api.get(`/servers/${id}`))
    await done(lab.save('base'))
    const file = await lab.read('base')
    await newServer(to.api, 'goes')
    assert.equal((await done(there.load('copy', file))).snapshot.now, '2026-11-28T12:00:00Z')
    assert.deepEqual(await names(to), ['goes'])
    await done(there.restore('copy'))
    const guest = to.client(from.api.token)
    assert.deepEqual((await done(guest.get(`/servers/${id}`))).server, server)
    assert.equal((await to.api.get('/servers')).status, 401)
    assert.equal((await done(there.clock())).clock.now, '2026-11-28T12:00:00Z')
    // What the infrastructure knows goes on from there.
    const reach = await guest.get(
      `${new URL(to.baseUrl).origin}${wolkeBase}/reachability?from=8.8.8.8&to=server:${id}&protocol=tcp&port=22`,
    )
    assert.equal(reach.body.reachability.reachable, true, reach.text)
    await done(guest.post(`/servers/${id}/actions/poweroff`))
    await done(there.save('again'))
    assert.notDeepEqual(await there.read('again'), file)
  })

  test('is never the same twice, and holds no key of the installation', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    await done(lab.save('base'))
    const [one, other] = [await readSnapshot(await lab.read('base')), await readSnapshot(await lab.read('base'))]
    assert.notDeepEqual(one.key, other.key)
    const text = Buffer.from(one.image).toString('latin1')
    assert.ok(text.includes(toKek(one.key).id))
  })

  test('may be of an older version, and not of a newer one', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    for (let count = 1; count < migrations.length; count += 7) {
      await done(lab.load('old', await fileWith(migrations.slice(0, Math.max(count, 20)))))
    }
    const newer = [...migrations, { id: '9999-later', statements: ['create table later (id integer primary key)'] }]
    const refusal = await lab.load('new', await fileWith(newer))
    assert.equal(refusal.status, 422)
    assert.match(refusal.text, /9999-later.*use a newer version/)
    const [, ...rest] = (await fileWith(migrations)).toString('latin1').split('\n')
    const later = Buffer.from(`wolke-snapshot 2 ${'0'.repeat(64)}\n${rest.join('\n')}`, 'latin1')
    assert.match((await lab.load('new', later)).text, /has the form 2.*use a newer version/)
    await done(lab.restore('old'))
  })

  test('is refused for what is wrong with it, in a thousand ways, and changes nothing', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    await newServer(world.api, 'stays')
    await world.settle()
    await done(lab.save('base'))
    const good = await lab.read('base')
    const before = await dump(world.db)
    const next = numbers(31)
    for (let round = 0; round < 1_000; round++) {
      const answer = await lab.load('bad', mutated(good, next, round))
      assert.equal(answer.status, 422, answer.text)
      assert.deepEqual(
        answer.body.error.details.fields.map(({ name }: { name: string }) => name),
        ['file'],
      )
    }
    assert.deepEqual(
      (await lab.list()).map(({ name }: { name: string }) => name),
      ['base'],
    )
    assert.deepEqual(await names(world), ['stays'])
    assert.equal(await dump(world.db), before)
  })

  test('is looked into although its checksum is right', async () => {
    const world = await open({ lab: start(), alone: true })
    const lab = await labOf(world)
    await done(lab.save('base'))
    const good = await readSnapshot(await lab.read('base'))
    const refused: readonly [Partial<Snapshotted>, RegExp][] = [
      [{ image: Buffer.from('no database at all') }, /no database/],
      [{ image: good.image.subarray(0, 40_960) }, /no usable database|damaged database/],
      [{ image: Buffer.alloc(0) }, /no database/],
      [{ key: randomKey() }, /need the key|does not open/],
      [{ key: Buffer.alloc(5) }, /no valid key/],
      [{ nowMs: Number.NaN }, /no valid/],
      [{ mode: 'backwards' as never }, /clock that is none of/],
      [{ infrastructure: { servers: 'all' } }, /infrastructure that cannot be read/],
    ]
    for (const [change, message] of refused) {
      const file = await writeSnapshot({ ...good, ...change }).catch(() => undefined)
      if (!file) continue
      const answer = await lab.load('bad', file)
      assert.equal(answer.status, 422, `${message} ${answer.text}`)
      assert.match(answer.text, message)
    }
    const strange = [
      ...migrations.slice(0, -1),
      {
        ...migrations.at(-1)!,
        statements: [...migrations.at(-1)!.statements, 'create table spy (id integer primary key)'],
      },
    ]
    assert.match((await lab.load('bad', await fileWith(strange))).text, /tables that are not those of Wolke/)
    const next = numbers(7)
    for (let round = 0; round < 100; round++) {
      const image = Buffer.from(good.image)
      for (let hits = 0; hits <= round % 10; hits++) image[next(image.length)] = next(256)
      const { status, text } = await lab.load('maybe', await writeSnapshot({ ...good, image }))
      assert.ok(status === 200 || status === 422, text)
    }
  })
})

function mutated(good: Buffer, next: (bound: number) => number, round: number): Buffer {
  const bytes = Buffer.from(good)
  const at = next(good.length)
  switch (round % 5) {
    case 0:
      bytes[at]! ^= 1 << next(8)
      return bytes
    case 1:
      return bytes.subarray(0, at)
    case 2:
      return Buffer.concat([bytes, Buffer.from([next(256)])])
    case 3:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.min(bytes.length, at + 1 + next(64)))])
    default:
      // Of the first line alone.
      bytes[next(80)]! ^= 1 << next(7)
      return bytes
  }
}
