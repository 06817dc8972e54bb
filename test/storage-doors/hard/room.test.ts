/** The room of a box as those see it who come by its doors, and a disk that is full below it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { types } from '../../../src/drivers/storage/doors/sftp/packets.ts'
import { pauseAll } from '../../../src/drivers/storage/processes.ts'
import { megabyte, skipsImages } from '../../storage/store/kit/grounds.ts'
import { missing } from '../kit/doors.ts'
import { sftpTo } from '../kit/writers.ts'
import { type Site, siteOn } from './kit/storage.ts'

const skip = missing('sftp', 'ssh', 'ssh-keygen')
const slack = 100_000

const blocksOf = (path: string) => Number.parseInt(execFileSync('du', ['-s', '-B1', path], { encoding: 'utf8' }), 10)

async function until(is: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await is()); await delay(50)) {
    assert.ok(Date.now() < end, 'it does not come about')
  }
}

/** Makes a local file for clients; returns its path. */
function localOf({ fixture }: Site, bytes: number): string {
  const path = join(fixture.folder, 'clients', `${bytes}`)
  writeFileSync(path, randomBytes(bytes))
  return path
}

/** How clients make room. */
const ways: Record<string, (site: Site) => Promise<unknown>> = {
  removes: ({ fixture }) => fixture.sftp('u1', 'rm large\n'),
  'puts a smaller one in its place': (site) => site.fixture.sftp('u1', `put ${localOf(site, 10)} large\n`),
  'renames over it': (site) => site.fixture.sftp('u1', `put ${localOf(site, 10)} small\nrename small large\n`),
  'runs rm': ({ fixture }) => fixture.ssh('u1', 'rm large'),
  'runs truncate by dd': ({ fixture }) => fixture.ssh('u1', 'dd of=large', 'short'),
  'removes by WebDAV': ({ ask }) => ask(1, 'DELETE', '/large'),
  'removes by the API': ({ storage }) => storage.driver.files!.remove({ box: 1, path: 'large' }),
}

for (const [words, make] of Object.entries(ways)) {
  test(`a box that is full takes files again when its owner ${words}`, { skip }, async (t) => {
    const site = await siteOn(t, 'plain')
    const { fixture, storage } = site
    await site.apply(1, 4 * megabyte)
    assert.equal((await fixture.sftp('u1', `put ${localOf(site, 3 * megabyte)} large\n`)).code, 0)
    const put = async () => (await fixture.sftp('u1', `put ${localOf(site, 2 * megabyte)} other\n`)).code === 0
    assert.equal(await put(), false)
    await fixture.sftp('u1', 'rm other\n')
    // It is known exactly by now, so that nothing would be counted again without a word.
    assert.ok((await storage.driver.usage(1)).data >= 3 * megabyte)
    await make(site)
    await until(put)
    const isTold = async () => Math.abs((await storage.driver.usage(1)).data - blocksOf(site.filesOf(1))) <= slack
    await until(isTold)
    assert.deepEqual(site.warnings, [])
  })
}

for (const kind of ['plain', 'btrfs'] as const) {
  test(`many who write at once pass the limit by no more than a write (${kind})`, {
    skip: skip || skipsImages,
  }, async (t) => {
    const site = await siteOn(t, kind)
    // Copies have room of their own.
    const limit = (kind === 'btrfs' ? 20 : 30) * megabyte
    await site.apply(1, limit)
    const local = localOf(site, 4 * megabyte)
    const put = (n: number) => site.fixture.sftp('u1', `put ${local} f${n}\n`)
    await Promise.all(Array.from({ length: 3 }, (_, n) => put(n)))
    await site.storage.driver.createSnapshot(1, 'one')
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => put(3 + n)))
    assert.ok(answers.some(({ code }) => code !== 0))
    const { data, snapshots } = await site.storage.driver.usage(1)
    assert.ok(data + snapshots <= limit + slack, `${data} and ${snapshots}`)
  })
}

test('what many have on its way at once is counted before it has arrived', { skip }, async (t) => {
  const site = await siteOn(t, 'plain')
  const { fixture, storage } = site
  await site.apply(1)
  const [each, count] = [200_000, 8]
  const sessions = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { client, begin, open, end } = sftpTo(fixture, 'u1')
      t.after(end)
      await begin()
      return { client, handle: await open(`/f${n}`), end }
    }),
  )
  const taken = async () => (await storage.driver.usage(1)).data
  const writes: Promise<void>[] = []
  {
    // Nothing is written as long as all file servers stand still.
    await using _still = await pauseAll(statSync(site.filesOf(1)).uid)
    for (const { client, handle } of sessions) writes.push(client.tell(types.write, handle, 0n, randomBytes(each)))
    await until(async () => (await taken()) >= each * count)
    assert.ok(blocksOf(site.filesOf(1)) <= slack)
  }
  await Promise.all(writes)
  await until(async () => Math.abs((await taken()) - each * count) <= slack)
})

test('who writes by the API and who comes by a door know of each other', { skip }, async (t) => {
  const site = await siteOn(t, 'plain')
  await site.apply(1, 8 * megabyte)
  const put = async (bytes: number, name: string) =>
    (await site.fixture.sftp('u1', `put ${localOf(site, bytes)} ${name}\n`)).code === 0
  const write = async (bytes: number, path: string) => {
    async function* source() {
      for (let at = 0; at < bytes; at += megabyte) yield randomBytes(megabyte)
    }
    try {
      await site.storage.driver.files!.write({ box: 1, path }, source())
      return true
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'no_room')
      return false
    }
  }
  assert.equal(await write(5 * megabyte, 'first'), true)
  assert.equal(await put(4 * megabyte, 'second'), false)
  assert.equal((await site.fixture.sftp('u1', 'rm second\n')).code, 0)
  await until(() => put(2 * megabyte, 'third'))
  await until(async () => (await site.storage.driver.usage(1)).data >= 7 * megabyte)
  assert.equal(await write(2 * megabyte, 'fourth'), false)
  assert.ok(blocksOf(site.filesOf(1)) <= 8 * megabyte + slack)
})

test('holes are charged when they are filled', { skip }, async (t) => {
  const site = await siteOn(t, 'plain')
  const { fixture, storage } = site
  await site.apply(1, 8 * megabyte)
  // Each is as long as the box may be, and takes nothing.
  const hole = (name: string) => fixture.ssh('u1', `dd of=${name} bs=1 seek=${6 * megabyte} conv=notrunc`, 'x')
  for (const name of ['a', 'b', 'c']) {
    const made = await hole(name)
    assert.equal(made.code, 0, made.stderr)
    await storage.driver.usage(1)
  }
  const local = localOf(site, 5 * megabyte)
  const answers = []
  for (const name of ['a', 'b', 'c'])
    answers.push(await fixture.ssh('u1', `dd of=${name} conv=notrunc`, readFileSync(local)))
  assert.ok(answers.some(({ code }) => code !== 0))
  assert.ok(blocksOf(site.filesOf(1)) <= 8 * megabyte + slack, `${blocksOf(site.filesOf(1))}`)
})

for (const [kind, megabytes] of [
  ['ext4', 60],
  ['reflink', 320],
  ['btrfs', 160],
] as const) {
  test(`a full disk is no space left for who writes, and nothing else (${kind})`, { skip: skip || skipsImages }, (t) =>
    fills(t, kind, megabytes),
  )
}

async function fills(t: TestContext, kind: 'ext4' | 'reflink' | 'btrfs', megabytes: number): Promise<void> {
  const site = await siteOn(t, kind, megabytes)
  const { fixture, storage, ask } = site
  await site.apply(1)
  await site.apply(2)
  assert.equal((await ask(2, 'PUT', '/there', Buffer.from('there'))).status, 201)
  const { client, begin, open, end } = sftpTo(fixture, 'u1')
  t.after(end)
  await begin()
  const handle = await open('/large')
  const piece = randomBytes(200_000)
  const fill = async () => {
    for (let at = 0; at < megabytes * 1_048_576; at += piece.length) {
      await client.tell(types.write, handle, BigInt(at), piece)
    }
  }
  // The client of OpenSSH has words of its own.
  await assert.rejects(fill(), { message: 'No space left on device' })
  const refused = await fixture.ssh('u1', 'dd of=more', randomBytes(8 * megabyte))
  assert.notEqual(refused.code, 0)
  assert.match(refused.stderr, /No space left/)
  const body = randomBytes(8 * megabyte)
  const answer = await ask(1, 'PUT', '/other', body)
  assert.equal(answer.status, 507)
  assert.match(await answer.text(), /sufficient-disk-space/)
  assert.equal(existsSync(join(site.filesOf(1), 'other')), false)
  await assert.rejects(storage.driver.files!.write({ box: 1, path: 'by the API' }, Readable.from([body])), {
    code: 'no_room',
  })
  // Everybody else goes on, and room can be made.
  assert.equal(await (await ask(2, 'GET', '/there')).text(), 'there')
  assert.equal((await fixture.sftp('u2', 'ls\nrename there moved\n')).code, 0)
  await client.tell(types.close, handle)
  assert.equal((await ask(1, 'DELETE', '/more')).status, 204)
  assert.equal((await fixture.sftp('u1', 'rm large\n')).code, 0)
  await until(async () => (await ask(2, 'PUT', '/again', randomBytes(megabyte))).status === 201)
  assert.ok((await storage.driver.usage(2)).data >= megabyte)
  assert.ok((await storage.driver.usage(1)).data <= megabyte)
}
