/** Nothing of the doors stays in a box. */
import assert from 'node:assert/strict'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { connect as connectHttp, constants } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import ssh2 from 'ssh2'
import { Doors } from '../../src/drivers/storage/doors/open.ts'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { arrived, childrenOf, commandOf, linkOf, processOf, programPid } from './kit/process.ts'

const skip = missing('sftp', 'ssh-keygen')

test('folders of snapshots go when those are not seen any more, unless something else is in them', {
  skip,
}, async (t) => {
  const fixture = await openDoors(t)
  const [box, other] = [fixture.addBox(), fixture.addBox()]
  const states = await Promise.all(
    ['u1', 'u2'].map((username) => accountFor(fixture, { username, seesSnapshots: true })),
  )
  for (const [index, each] of [box, other].entries()) {
    fixture.set(each, states[index]!)
    assert.equal((await fixture.sftp(states[index]!.username, 'ls .zfs/snapshot\n')).code, 0)
    assert.deepEqual(readdirSync(each.files), ['.zfs'])
  }
  writeFileSync(join(other.files, '.zfs/mine'), '')
  fixture.set(box, { ...states[0]!, seesSnapshots: false })
  fixture.set(other, { ...states[1]!, seesSnapshots: false })
  await arrived(() => readdirSync(box.files).length === 0)
  await arrived(() => !existsSync(join(other.files, '.zfs/snapshot')))
  assert.deepEqual(readdirSync(join(other.files, '.zfs')), ['mine'])
  fixture.set(box, states[0]!)
  assert.equal((await fixture.sftp('u1', 'ls .zfs/snapshot\n')).code, 0)
})

/** What is noted as unfinished by all processes. */
const notesIn = (folder: string) =>
  readdirSync(join(folder, 'keys', 'unfinished'), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.name.endsWith('.lock'),
  )

for (const victim of ['process', 'file server'] as const) {
  test(`what a killed ${victim} did not finish is removed by the next one`, { skip }, async (t) => {
    const { fixture, box, set, doors } = await processOf(t)
    const account = await accountFor(fixture)
    await set(account)
    mkdirSync(join(box.files, 'd'), { mode: 0o777 })
    const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
    const head = `PUT /f HTTP/1.1\r\nHost: box\r\nAuthorization: ${authorization}\r\nContent-Length: 1000\r\n\r\n`
    const socket = connect(doors.opened.webdav!, '127.0.0.1', () => socket.write(`${head}begun`))
    socket.on('error', () => undefined)
    t.after(() => socket.destroy())
    const hidden = () => readdirSync(box.files).filter((name) => name.startsWith('.wolke-put-'))
    await arrived(() => hidden().length === 1)
    const servers = childrenOf(programPid())
    assert.ok(servers.length > 0)
    for (const pid of victim === 'process' ? [programPid()] : servers) process.kill(pid, 'SIGKILL')
    // The request goes on, so that its server is missed.
    socket.write(Buffer.alloc(995))
    await arrived(() => hidden().length === 0)
    assert.deepEqual(readdirSync(box.files), ['d'])
    await arrived(() => notesIn(fixture.folder).length === 0)
  })
}

test('what one process puts is not removed by another that starts beside it', { skip }, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const account = await accountFor(fixture)
  fixture.set(box, account)
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  const head = `PUT /f HTTP/1.1\r\nHost: box\r\nAuthorization: ${authorization}\r\nContent-Length: 10\r\n\r\n`
  const socket = connect(fixture.webdavPort, '127.0.0.1', () => socket.write(`${head}begun`))
  t.after(() => socket.destroy())
  await arrived(() => readdirSync(box.files).length === 1)
  const other = new Doors({
    directory: join(fixture.folder, 'keys'),
    installKey: async () => undefined,
    report: () => undefined,
  })
  t.after(() => other.close())
  const port = await other.openWebdav({ host: '127.0.0.1', port: 0 })
  other.setAccounts(box.place, 1, [account])
  const answered = await fetch(`http://127.0.0.1:${port}/`, { method: 'OPTIONS', headers: { authorization } })
  assert.equal(answered.status, 200)
  const reply = new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(bytes.toString('latin1'))))
  socket.write('ended')
  assert.match(await reply, /^HTTP\/1.1 201 /)
  assert.deepEqual(readdirSync(box.files), ['f'])
})

test('what had stepped aside when a process was killed is put back, unless something is in its place', {
  skip,
}, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const left = join(fixture.folder, 'keys', 'unfinished', 'ended')
  mkdirSync(left)
  for (const [aside, original] of [
    ['.wolke-put-1', 'first'],
    ['.wolke-put-2', 'second'],
  ] as const) {
    mkdirSync(join(box.files, aside))
    writeFileSync(join(box.files, aside, 'old'), '')
    chownSync(join(box.files, aside), box.place.uid, box.place.uid)
    const note = { box: box.place.id, username: 'u1', path: `/${aside}`, original: `/${original}` }
    writeFileSync(join(left, aside), JSON.stringify(note))
  }
  mkdirSync(join(box.files, 'second'))
  const other = new Doors({
    directory: join(fixture.folder, 'keys'),
    installKey: async () => undefined,
    report: () => undefined,
  })
  t.after(() => other.close())
  other.setAccounts(box.place, 1, [await accountFor(fixture)])
  await arrived(() => notesIn(fixture.folder).length === 0)
  assert.deepEqual(readdirSync(box.files), ['first', 'second'])
  assert.deepEqual(readdirSync(join(box.files, 'first')), ['old'])
  assert.deepEqual(readdirSync(join(box.files, 'second')), [])
})

test('an upload of restic that is cut is neither whole nor left, and a download that is cancelled ends', {
  skip,
}, async (t) => {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const privateKey = readFileSync(join(fixture.folder, 'clients', 'key'), 'utf8')
  const open = async () => {
    const client = new ssh2.Client()
    t.after(() => client.destroy())
    await new Promise((resolve, reject) => {
      client.once('ready', () => resolve(undefined)).once('error', reject)
      client.connect({ host: '127.0.0.1', port: fixture.sshPort, username: 'u1', privateKey })
    })
    const channel = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
      client.exec('rclone serve restic --stdio repo', (error, opened) => (error ? reject(error) : resolve(opened))),
    )
    const session = connectHttp('http://box', { createConnection: () => channel })
    session.on('error', () => undefined)
    const ask = (method: string, path: string) =>
      session.request({ ':method': method, ':path': path }, { endStream: false }).on('error', () => undefined)
    const status = (stream: ReturnType<typeof ask>) =>
      new Promise((resolve) => stream.once('response', (headers) => resolve(headers[':status'])))
    return { client, ask, status }
  }
  const data = () => readdirSync(join(box.files, 'repo/data'), { recursive: true, withFileTypes: true })
  const files = () => data().filter((entry) => entry.isFile())
  const { client, ask, status } = await open()
  const create = ask('POST', '/?create=true')
  create.end()
  assert.equal(await status(create), 200)
  ask('POST', '/data/aa11').write('begun')
  await arrived(() => files().length === 1)
  client.destroy()
  await arrived(() => files().length === 0)
  const next = await open()
  const whole = next.ask('POST', '/data/aa11')
  whole.end(Buffer.alloc(8 << 20))
  assert.equal(await next.status(whole), 200)
  const cancelled = next.ask('GET', '/data/aa11')
  assert.equal(await next.status(cancelled), 200)
  cancelled.close(constants.NGHTTP2_CANCEL)
  const isHeld = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`).endsWith('/aa11'))
  const servers = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('sftp-server'))
  assert.ok(servers.length > 0)
  await arrived(() => !servers.some(isHeld))
})
