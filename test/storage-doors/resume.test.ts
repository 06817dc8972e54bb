/** Large files, and those that a cut has left half. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isLong } from '../run/long.ts'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { arrived } from './kit/process.ts'

const megabyte = 1 << 20
const gigabyte = 1 << 30

async function boxOf(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const local = join(fixture.folder, 'clients')
  const own = (name: string) => chownSync(join(box.files, name), box.place.uid, box.place.gid)
  return { fixture, box, local, own }
}

/** Makes a file with holes that has something at its beginning, beyond 4 GB where it reaches there, and at its end. */
function makeSparse(path: string, size: number, upTo = size): void {
  const file = openSync(path, 'w')
  for (const at of [0, 4 * gigabyte - 3, size - megabyte]) {
    const bytes = Buffer.alloc(megabyte, `${at} `)
    if (at + megabyte <= upTo) writeSync(file, bytes, 0, bytes.length, at)
  }
  closeSync(file)
  truncateSync(path, upTo)
}

function piece(path: string, at: number, length: number): Buffer {
  const file = openSync(path, 'r')
  const bytes = Buffer.alloc(length)
  const got = readSync(file, bytes, 0, length, at)
  closeSync(file)
  return bytes.subarray(0, got)
}

function assertSame(path: string, other: string, size: number): void {
  assert.equal(statSync(path).size, statSync(other).size)
  for (const at of [0, 4 * gigabyte - megabyte, size - 20 * megabyte]) {
    assert.ok(piece(path, at, 20 * megabyte).equals(piece(other, at, 20 * megabyte)), `another content at ${at}`)
  }
}

test('what is missing of a file of 5 GB goes up, comes down and is read beyond 4 GB', {
  skip: missing('sftp', 'curl'),
}, async (t) => {
  const { fixture, box, local, own } = await boxOf(t)
  const size = 5 * gigabyte
  makeSparse(join(local, 'f'), size)
  makeSparse(join(box.files, 'f'), size, size - 10 * megabyte)
  makeSparse(join(local, 'back'), size, size - 10 * megabyte)
  own('f')
  const up = await fixture.sftp('u1', 'reput f\nreget f back\nls -l\n')
  assert.equal(up.code, 0, up.stderr)
  assertSame(join(box.files, 'f'), join(local, 'f'), size)
  assertSame(join(local, 'back'), join(local, 'f'), size)
  const at = 4 * gigabyte - 10
  const url = `http://127.0.0.1:${fixture.webdavPort}/f`
  const range = ['-r', `${at}-${at + 99}`]
  assert.equal(
    (await fixture.run('curl', ['-sS', '--fail', '-u', `u1:${password}`, ...range, '-o', 'part', url])).code,
    0,
  )
  assert.deepEqual(readFileSync(join(local, 'part')), piece(join(local, 'f'), at, 100))
})

const comesBack = async (t: TestContext) => {
  const { fixture, box, local } = await boxOf(t)
  const size = 5 * gigabyte
  makeSparse(join(local, 'f'), size)
  const run = (program: string, args: string[], input?: string) => fixture.run(program, args, input, {}, 600_000)
  const remote = 'u1@127.0.0.1:'
  assert.equal((await run('rsync', ['-aS', '-e', fixture.shell, 'f', remote])).code, 0)
  assertSame(join(box.files, 'f'), join(local, 'f'), size)
  assert.ok(statSync(join(box.files, 'f')).blocks * 512 < size / 10, 'the holes are filled')
  const args = ['-P', `${fixture.sshPort}`, ...fixture.options(), '-b', '-', 'u1@127.0.0.1']
  assert.equal((await run('sftp', args, 'get f back\nrm f\nput f\n')).code, 0)
  assertSame(join(local, 'back'), join(local, 'f'), size)
  assertSame(join(box.files, 'f'), join(local, 'f'), size)
}
// It takes minutes.
if (isLong) test('a file of 5 GB with holes goes up and comes back', { skip: missing('sftp', 'rsync') }, comesBack)

/** Runs a program until a file has so many bytes, and has the machine of its client die. */
async function cut(
  fixture: Awaited<ReturnType<typeof boxOf>>['fixture'],
  program: string,
  args: string[],
  input: string,
  has: () => number,
) {
  const child = fixture.startGroup(program, args)
  child.stdin.on('error', () => undefined)
  child.stdin.write(input)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await arrived(() => has() >= 2 * megabyte)
  process.kill(-child.pid!, 'SIGKILL')
  await ended
}

const sizeOf = (path: string) => (existsSync(path) ? statSync(path).size : 0)

test('sftp goes on after a cut', { skip: missing('sftp') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  const content = randomBytes(12 * megabyte)
  writeFileSync(join(local, 'f'), content)
  const slow = ['-l', '40000', '-P', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1']
  await cut(fixture, 'sftp', slow, 'put f\n', () => sizeOf(join(box.files, 'f')))
  assert.ok(sizeOf(join(box.files, 'f')) < content.length)
  assert.equal((await fixture.sftp('u1', 'reput f\n')).code, 0)
  assert.ok(readFileSync(join(box.files, 'f')).equals(content))
  await cut(fixture, 'sftp', slow, 'get f back\n', () => sizeOf(join(local, 'back')))
  assert.ok(sizeOf(join(local, 'back')) < content.length)
  assert.equal((await fixture.sftp('u1', 'reget f back\n')).code, 0)
  assert.ok(readFileSync(join(local, 'back')).equals(content))
})

test('rsync --partial goes on after a cut', { skip: missing('rsync') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  const content = randomBytes(12 * megabyte)
  writeFileSync(join(local, 'f'), content)
  const rsync = (...more: string[]) => ['--partial', '--inplace', '-e', fixture.shell, ...more, 'f', 'u1@127.0.0.1:']
  await cut(fixture, 'rsync', rsync('--bwlimit=5000'), '', () => sizeOf(join(box.files, 'f')))
  const before = sizeOf(join(box.files, 'f'))
  assert.ok(before < content.length)
  const { code, stdout, stderr } = await fixture.run('rsync', rsync('--stats', '--append-verify'))
  assert.equal(code, 0, stderr)
  assert.ok(readFileSync(join(box.files, 'f')).equals(content))
  const [, sent = ''] = /Literal data: ([\d,]+)/.exec(stdout) ?? []
  assert.ok(Number(sent.replaceAll(',', '')) <= content.length - before + megabyte, 'it begins anew')
})

test('lftp goes on after a cut', { skip: missing('lftp') }, async (t) => {
  const { fixture, box, local, own } = await boxOf(t)
  const content = randomBytes(5 * megabyte)
  writeFileSync(join(local, 'f'), content)
  writeFileSync(join(box.files, 'f'), content.subarray(0, 2 * megabyte))
  own('f')
  const setting = `set sftp:connect-program "ssh -a -x ${fixture.options().join(' ')}"`
  const lftp = (command: string) =>
    fixture.run('lftp', ['-c', `${setting}; open -u u1,none -p ${fixture.sshPort} sftp://127.0.0.1; ${command}`])
  const up = await lftp('put -c f')
  assert.equal(up.code, 0, up.stderr)
  assert.ok(readFileSync(join(box.files, 'f')).equals(content))
  rmSync(join(local, 'f'))
  writeFileSync(join(local, 'f'), content.subarray(0, megabyte))
  assert.equal((await lftp('get -c f')).code, 0)
  assert.ok(readFileSync(join(local, 'f')).equals(content))
})

test('curl goes on after a cut of a download by WebDAV', { skip: missing('curl') }, async (t) => {
  const { fixture, box, local, own } = await boxOf(t)
  const content = randomBytes(12 * megabyte)
  writeFileSync(join(box.files, 'f'), content)
  own('f')
  const url = `http://127.0.0.1:${fixture.webdavPort}/f`
  const curl = (...more: string[]) => ['-sS', '--fail', '-u', `u1:${password}`, ...more, '-o', 'back', url]
  await cut(fixture, 'curl', curl('--limit-rate', '5M'), '', () => sizeOf(join(local, 'back')))
  assert.ok(sizeOf(join(local, 'back')) < content.length)
  const { code, stderr } = await fixture.run('curl', curl('-C', '-'))
  assert.equal(code, 0, stderr)
  assert.ok(readFileSync(join(local, 'back')).equals(content))
})

test('borg goes on after a cut, without anybody who breaks a lock', { skip: missing('borg') }, async (t) => {
  const { fixture, box, local } = await boxOf(t)
  writeFileSync(join(local, 'f'), randomBytes(12 * megabyte))
  const repo = `ssh://u1@127.0.0.1:${fixture.sshPort}/./repo`
  const borg = (...args: string[]) => ['--rsh', fixture.shell, ...args]
  const run = (...args: string[]) =>
    fixture.run('borg', borg(...args), undefined, { BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK: 'yes' })
  const made = await run('init', '-e', 'none', repo)
  assert.equal(made.code, 0, made.stderr)
  const held = () => (existsSync(join(box.files, 'repo/lock.exclusive')) ? 3 * megabyte : 0)
  // It waits for the rest of its input, with the lock in its hand.
  await cut(fixture, 'borg', borg('create', `${repo}::cut`, '-'), 'begins', held)
  const again = await run('--lock-wait', '10', 'create', `${repo}::whole`, 'f')
  assert.equal(again.code, 0, again.stderr)
  assert.equal((await run('list', '--short', repo)).stdout, 'whole\n')
  assert.equal((await run('check', '--verify-data', repo)).code, 0)
})
