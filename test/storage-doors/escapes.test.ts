/** Nobody gets out of his home: not by paths, not by links, not by changing them while they are followed. */
import assert from 'node:assert/strict'
import { chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { Accounts } from '../../src/drivers/storage/doors/accounts.ts'
import { Files } from '../../src/drivers/storage/doors/files.ts'
import { accountFor, missing, openDoors } from './kit/doors.ts'

const skip = missing('ssh-keygen')

async function filesOf(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const accounts = new Accounts()
  const [main, sub] = [await accountFor(fixture), await accountFor(fixture, { username: 'u1-sub1', home: 'sub' })]
  accounts.set(box.place, 1, [main, sub])
  mkdirSync(join(box.files, 'sub'))
  chownSync(join(box.files, 'sub'), box.place.uid, box.place.gid)
  const open = async (username: string) => {
    const files = await Files.open(accounts.find(username)!)
    t.after(() => files.close())
    return files
  }
  return { fixture, box, owner: await open('u1'), guest: await open('u1-sub1') }
}

async function text(bytes: AsyncIterable<Buffer>): Promise<string> {
  let all = ''
  for await (const some of bytes) all += some.toString()
  return all
}

test('10,000 paths with links in them read and write nothing outside of the home', { skip }, async (t) => {
  const { fixture, box, owner, guest } = await filesOf(t)
  const secret = 'secret of the machine'
  writeFileSync(join(box.files, 'private'), secret)
  const outside = () => [readdirSync(fixture.folder).sort(), readdirSync(box.outside), readdirSync('/').sort()]
  const before = outside()
  const sub = join(box.files, 'sub')
  const targets = [
    '/',
    '..',
    '../..',
    '/proc/self/root',
    '/etc',
    box.outside,
    `..${box.outside}`,
    fixture.folder,
    '/dev/fd/0',
  ]
  for (const [index, target] of targets.entries()) symlinkSync(target, join(sub, `l${index}`))
  const segment = fc.constantFrom(
    ...['..', '.', '', '...', 'etc', 'passwd', 'proc', 'self', 'root', 'cwd', '1', 'private', 'secret', 'secrets'],
    ...['tmp', 'sub', 'box-1', 'files', '.zfs', 'snapshot', '%2e%2e', '..\\', ...targets],
    ...targets.map((_, index) => `l${index}`),
  )
  const paths = fc.sample(fc.array(segment, { minLength: 1, maxLength: 8 }), { numRuns: 10_000, seed: 46 })
  let isReached = 0
  let isWritten = 0
  const showsSecret = async (pieces: ReturnType<typeof guest.list>) => {
    let shows = false
    for await (const some of pieces) {
      shows ||= some.some(({ name }) => ['passwd', 'secret', 'private', 'box-1'].includes(name))
    }
    return shows
  }
  const ask = async (parts: string[], index: number) => {
    const path = `${index % 2 ? '/' : ''}${parts.join('/')}`
    const isSecret = async () => (await text(guest.read(path))).includes('secret')
    const reads = [isSecret().catch(() => false), showsSecret(guest.list(path)).catch(() => false)]
    const write = guest.write(`${path}/escaped-${index % 50}`, [Buffer.from('x')]).catch(() => 0)
    if ((await Promise.all(reads)).some((is) => is)) isReached++
    isWritten += await write
  }
  for (let at = 0; at < paths.length; at += 50)
    await Promise.all(paths.slice(at, at + 50).map((parts, i) => ask(parts, at + i)))
  assert.equal(isReached, 0)
  // It has answered to the last.
  assert.ok(guest.isOpen && isWritten > 100)
  assert.deepEqual(outside(), before)
  // The one who sees all of the box does reach what is in it, so that these tests would see it.
  assert.equal(await text(owner.read('/private')), secret)
})

test('a link that is swapped while others walk over it leads nowhere', { skip }, async (t) => {
  const { box, owner, guest } = await filesOf(t)
  await owner.mkdir('/sub/real')
  await owner.write('/sub/real/secret', [Buffer.from('of the box')])
  let isOver = false
  const swap = async () => {
    for (let round = 0; !isOver; round++) {
      await owner.symlink(round % 2 ? box.outside : '/real', '/sub/next').catch(() => undefined)
      await owner.rename('/sub/next', '/sub/way').catch(() => undefined)
      await owner.remove('/sub/way').catch(() => undefined)
      await owner.rename('/sub/real', '/sub/way').catch(() => undefined)
      await owner.rename('/sub/way', '/sub/real').catch(() => undefined)
    }
  }
  const swapping = swap()
  let read = 0
  for (let round = 0; round < 1_500; round++) {
    const found = await text(guest.read('/way/secret')).catch(() => '')
    assert.ok(found === '' || found === 'of the box')
    if (found !== '') read++
    await guest.write('/way/new', [Buffer.from('x')]).catch(() => 0)
  }
  isOver = true
  await swapping
  assert.deepEqual(readdirSync(box.outside), ['secret'])
  assert.equal(readFileSync(join(box.outside, 'secret'), 'utf8'), 'secret of the machine')
  t.diagnostic(`${read} of 1,500 reads found the file`)
})

test('hard links and names of devices bring nothing in', { skip }, async (t) => {
  const { fixture, box } = await filesOf(t)
  for (const command of [
    `ln ${box.outside}/secret here`,
    'ln /etc/passwd here',
    'get /etc/passwd here',
    'get /proc/self/environ x',
  ]) {
    assert.notEqual((await fixture.sftp('u1', `${command}\n`)).code, 0, command)
  }
  assert.deepEqual(readdirSync(box.files), ['sub'])
})
