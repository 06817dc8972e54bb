/** The doors as a process: states hold when they were said, and the process neither outlives its server nor stays away. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mostPrograms, startedFor } from '../../src/drivers/storage/doors/jail/starting.ts'
import { openFlags, packet, types } from '../../src/drivers/storage/doors/sftp/packets.ts'
import { accountFor, DoorsFixture, missing } from './kit/doors.ts'
import { arrived, childrenOf, commandOf, processOf, programPid } from './kit/process.ts'
import { sftpTo } from './kit/writers.ts'

const skip = missing('sftp', 'ssh-keygen')

/** A session that stays until its server ends it, and says again what it is told. */
function stay(fixture: DoorsFixture) {
  const child = fixture.start('ssh', ['-p', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1', 'cat'])
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let heard = ''
  child.stdout.on('data', (data: Buffer) => {
    heard += data
  })
  child.stdin.on('error', () => undefined)
  const hears = (word: string) => {
    child.stdin.write(word)
    return arrived(() => heard.endsWith(word))
  }
  return { child, ended, hears }
}

test('a deleted account ends its sessions, a new password none', { skip }, async (t) => {
  const { fixture, set } = await processOf(t)
  const account = await accountFor(fixture)
  await set(account)
  const session = stay(fixture)
  await session.hears('one')
  await set({ ...account, passwordHash: `${account.passwordHash.slice(0, -2)}AA` })
  await session.hears('two')
  await set()
  await session.ended
  assert.notEqual((await fixture.sftp('u1', 'ls\n')).code, 0)
  await set(account)
  assert.equal((await fixture.sftp('u1', 'ls\n')).code, 0)
  for (const change of [{ hasSsh: false }, { isReadonly: true }]) {
    const other = stay(fixture)
    await other.hears('there')
    await set({ ...account, ...change })
    await other.ended
    await set(account)
  }
})

test('an account has ten connections', { skip }, async (t) => {
  const { fixture, set } = await processOf(t)
  await set(await accountFor(fixture))
  const sessions = Array.from({ length: 10 }, () => stay(fixture))
  await Promise.all(sessions.map(({ hears }) => hears('there')))
  assert.notEqual((await fixture.sftp('u1', 'ls\n')).code, 0)
  sessions[0]!.child.stdin.end()
  await sessions[0]!.ended
  assert.equal((await fixture.sftp('u1', 'ls\n')).code, 0)
  for (const { child } of sessions) child.kill()
})

const sumOf = (all: readonly number[]) => all.reduce((sum, bytes) => sum + bytes, 0)

for (const [who, end] of [
  ['a file server', (_: number, server: number) => process.kill(server, 'SIGKILL')],
  ['the process of the doors', (doors: number) => process.kill(doors, 'SIGKILL')],
] as const) {
  test(`what ${who} had not written when it was killed is on its way no longer`, { skip }, async (t) => {
    const { fixture, box, doors, set, charged, written } = await processOf(t, { limit: 1_000_000, used: 0 })
    await set(await accountFor(fixture))
    const { client, begin, open, end: leave } = sftpTo(fixture, 'u1')
    t.after(leave)
    await begin()
    const handle = await open('/f')
    const pid = programPid()
    const [server] = childrenOf(pid)
    process.kill(server!, 'SIGSTOP')
    const lost = assert.rejects(client.tell(types.write, handle, 0n, Buffer.alloc(200_000)))
    await arrived(() => sumOf(charged) === 200_000)
    await doors.hear(box.place.id)
    assert.equal(sumOf(written), 0)
    end(pid, server!)
    await lost
    await arrived(() => sumOf(written) === 200_000)
  })
}

test('what was written is said, and what does not fit is refused', { skip }, async (t) => {
  const { fixture, box, set, charged, written, doors } = await processOf(t, { limit: 1_000_000, used: 0 })
  await set(await accountFor(fixture))
  const local = join(fixture.folder, 'clients', 'f')
  writeFileSync(local, Buffer.alloc(600_000, 1))
  assert.equal((await fixture.sftp('u1', `put ${local} a\n`)).code, 0)
  assert.notEqual((await fixture.sftp('u1', `put ${local} b\n`)).code, 0)
  assert.notEqual(
    (await fixture.run('scp', ['-P', `${fixture.sshPort}`, ...fixture.options(), local, 'u1@127.0.0.1:c'])).code,
    0,
  )
  // A file of the right size that is not whole would be taken for done.
  assert.ok(!existsSync(join(box.files, 'c')) || readFileSync(join(box.files, 'c')).length < 600_000)
  await doors.hear(box.place.id)
  assert.ok(sumOf(charged) >= 600_000)
  await arrived(() => sumOf(written) === sumOf(charged))
  await doors.setQuota(box.place.id, async () => ({ limit: 10_000_000, used: 600_000 }))
  assert.equal((await fixture.sftp('u1', `put ${local} b\n`)).code, 0)
})

test('a key is installed by whoever holds the accounts', { skip: missing('ssh') }, async (t) => {
  const { fixture, set, installed } = await processOf(t)
  await set(await accountFor(fixture))
  assert.equal((await fixture.ssh('u1', 'install-ssh-key', 'ssh-ed25519 AAAA one\n')).code, 0)
  const second = await fixture.ssh('u1', 'install-ssh-key', 'ssh-ed25519 AAAA two\n')
  assert.deepEqual([second.code, second.stderr], [1, 'there are too many\n'])
  assert.deepEqual(installed, ['ssh-ed25519 AAAA one', 'ssh-ed25519 AAAA two'])
})

test('a process that was killed comes back with its port and its accounts, and leaves no program behind', {
  skip,
}, async (t) => {
  const { fixture, set } = await processOf(t)
  await set(await accountFor(fixture))
  const session = stay(fixture)
  await session.hears('one')
  const pid = programPid()
  const servers = childrenOf(pid)
  assert.ok(servers.length > 0)
  process.kill(pid, 'SIGKILL')
  await session.ended
  await arrived(() => servers.every((server) => !existsSync(`/proc/${server}`)))
  let code = -1
  for (const end = Date.now() + 20_000; code !== 0 && Date.now() < end; ) code = (await fixture.sftp('u1', 'ls\n')).code
  assert.equal(code, 0)
})

test('a process that is killed while it starts is replaced by one', { skip }, async (t) => {
  const { fixture, set } = await processOf(t)
  await set(await accountFor(fixture))
  const programs = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('doors'))
  for (let before = 0, count = 0; count < 3; count++) {
    await arrived(() => programs().some((pid) => pid !== before))
    before = programs().find((pid) => pid !== before)!
    process.kill(before, 'SIGKILL')
  }
  let code = -1
  for (const end = Date.now() + 20_000; code !== 0 && Date.now() < end; ) code = (await fixture.sftp('u1', 'ls\n')).code
  assert.equal(code, 0)
  const [pid, ...others] = programs()
  assert.deepEqual(others, [])
  assert.equal((await fixture.sftp('u1', 'ls\n')).code, 0)
  assert.deepEqual(programs(), [pid])
})

/** Asks for far more than a client takes that reads nothing, until nobody gets anything on his way. */
function reads(): Buffer {
  const handle = Buffer.alloc(4)
  const ask = (_: unknown, index: number) => packet(types.read, index + 1, handle, BigInt(index) << 15n, 1 << 15)
  const asked = Array.from({ length: 20_000 }, ask)
  return Buffer.concat([packet(types.init, 3), packet(types.open, 0, '/big', openFlags.read, {}), ...asked])
}

for (const quota of [null, { limit: 1e9, used: 0 }]) {
  const how = quota ? 'counted' : 'plain'
  test(`who goes before he has read everything leaves no program in a ${how} box`, { skip }, async (t) => {
    const { fixture, box, set } = await processOf(t, quota)
    await set(await accountFor(fixture))
    writeFileSync(join(box.files, 'big'), '')
    truncateSync(join(box.files, 'big'), 1 << 30)
    for (const [words, input] of [
      [['u1@127.0.0.1', 'cat big'], ''],
      [['-s', 'u1@127.0.0.1', 'sftp'], reads()],
    ] as const) {
      const client = fixture.start('ssh', ['-p', `${fixture.sshPort}`, ...fixture.options(), ...words])
      client.stdin.on('error', () => undefined)
      client.stdin.write(input)
      await once(client.stdout, 'readable')
      assert.equal(childrenOf(programPid()).length, 1)
      client.kill('SIGKILL')
      await arrived(() => childrenOf(programPid()).length === 0)
    }
  })
}

test('the process ends with its server', { skip }, async (t) => {
  const fixture = new DoorsFixture()
  t.after(() => fixture.close())
  const module = new URL('../../src/drivers/storage/doors/process/doors.ts', import.meta.url).href
  const script = `
    const { openDoors } = await import(${JSON.stringify(module)})
    await openDoors({ directory: process.argv[1], ssh: { host: '127.0.0.1', port: 0 }, report() {} })
    const { readFileSync } = await import('node:fs')
    console.log(readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').trim())
    process.kill(process.pid, 'SIGKILL')`
  let output = ''
  try {
    execFileSync(process.execPath, ['--input-type=module', '-e', script, join(fixture.folder, 'keys')], {
      encoding: 'utf8',
    })
  } catch (error) {
    output = (error as { stdout: string }).stdout
  }
  const pids = output.trim().split(' ')
  assert.match(pids[0]!, /^\d+$/)
  await arrived(() => pids.every((pid) => !existsSync(`/proc/${pid}/root/`)))
})

test('programs that cannot start say why, and a box has no more of them at a time than it may', async (t) => {
  const children: ChildProcess[] = []
  t.after(() => {
    for (const child of children) child.kill('SIGKILL')
  })
  const start = async (box: string, program = 'cat') => {
    const child = await startedFor(box, () => spawn(program, { stdio: ['pipe', 'ignore', 'ignore'] }))
    children.push(child)
    return child
  }
  await assert.rejects(start('/one', '/nothing'), { code: 'ENOENT' })
  for (let n = 0; n < mostPrograms; n++) await start('/one')
  await assert.rejects(start('/one'), /programs run for the box already/)
  await start('/other')
  const [first] = children
  first!.stdin!.end()
  await once(first!, 'exit')
  await start('/one')
  await assert.rejects(start('/one'), /programs run for the box already/)
})
