/** Requests of WebDAV that ask for more than anybody needs: they cost little, and others are served meanwhile. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { mostPrograms, startedFor } from '../../src/drivers/storage/doors/jail/starting.ts'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { arrived, childrenOf, commandOf, linkOf } from './kit/process.ts'

const skip = missing('ssh-keygen')

async function webdav(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(`http://127.0.0.1:${fixture.webdavPort}${path}`, {
      method,
      headers: { authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    })
  return { fixture, box, authorization, ask }
}

const asking = (namespace: string, properties: string) =>
  `<D:propfind xmlns:D="DAV:" xmlns:x="${namespace}"><D:prop>${properties}</D:prop></D:propfind>`

test('what is asked for is written once for each file, and not more than a request can mean', { skip }, async (t) => {
  const { ask, box } = await webdav(t)
  mkdirSync(join(box.files, 'd'))
  for (let index = 0; index < 200; index++) writeFileSync(join(box.files, `d/f${index}`), '')
  const many = Array.from({ length: 101 }, (_, index) => `<x:a${index}/>`).join('')
  for (const body of [asking('n'.repeat(16_000), '<x:a/>'.repeat(2_500)), asking('n', many)])
    assert.equal((await ask('PROPFIND', '/d', { depth: '1' }, body)).status, 400)
  const found = await ask('PROPFIND', '/d', { depth: '1' }, asking('n', `<D:getetag/>${'<x:a/>'.repeat(4_000)}`))
  assert.equal(found.status, 207)
  const text = await found.text()
  assert.equal(text.match(/<D:response>/g)?.length, 201)
  assert.equal(text.match(/<a xmlns="n">/g)?.length, 201)
  assert.equal(text.match(/<D:getetag>/g)?.length, 201)
})

test('locks are so many for a path, with owners that are short', { skip }, async (t) => {
  const { ask } = await webdav(t)
  const lock = (owner: string) =>
    ask(
      'LOCK',
      '/',
      {},
      `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:shared/></D:lockscope><D:owner>${owner}</D:owner></D:lockinfo>`,
    )
  assert.equal((await lock('o'.repeat(2_000))).status, 400)
  for (let count = 0; count < 50; count++) assert.equal((await lock('me')).status, 200)
  assert.equal((await lock('me')).status, 423)
})

test('who connects and says nothing is sent away, and whoever is in is served meanwhile', { skip }, async (t) => {
  const { fixture, authorization, ask } = await webdav(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const options = { port: fixture.webdavPort, method: 'OPTIONS', headers: { authorization }, agent }
  const isServed = () =>
    new Promise<boolean>((resolve) => {
      const asked = request(options, (response) => response.resume().once('end', () => resolve(true)))
      asked.once('error', () => resolve(false)).end()
    })
  assert.ok(await isServed())
  let [opened, closed] = [0, 0]
  for (let count = 0; count < 200; count++) {
    const socket = connect(fixture.webdavPort, '127.0.0.1', () => opened++)
    socket.on('error', () => undefined).once('close', () => closed++)
    t.after(() => socket.destroy())
  }
  await arrived(() => opened === 200 && closed >= 50)
  assert.ok(await isServed())
  await arrived(() => closed === 200)
  assert.equal((await ask('OPTIONS', '/')).status, 200)
})

test('a download that its client gives up lets go of the file', { skip }, async (t) => {
  const { box, authorization, ask, fixture } = await webdav(t)
  writeFileSync(join(box.files, 'big'), Buffer.alloc(64 << 20))
  for (let count = 0; count < 3; count++) {
    const socket = connect(fixture.webdavPort, '127.0.0.1')
    socket.write(`GET /big HTTP/1.1\r\nHost: box\r\nAuthorization: ${authorization}\r\n\r\n`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.destroy()
  }
  const servers = childrenOf(process.pid).filter((pid) => commandOf(pid).includes('sftp-server'))
  const isHeld = (pid: number) =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`).endsWith('/big'))
  await arrived(() => !servers.some(isHeld))
  assert.equal((await ask('HEAD', '/big')).status, 200)
})

test('file servers that nobody needs give way to whoever comes, and no others do', { skip }, async (t) => {
  const { fixture, box } = await webdav(t)
  const state = await accountFor(fixture)
  fixture.set(box, ...['u1', 'u2', 'u3', 'u4'].map((username) => ({ ...state, username })))
  const { directory } = box.place
  for (let count = 3; count < mostPrograms; count++) {
    const { stdin } = await startedFor(directory, () => spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] }))
    t.after(() => stdin.end())
  }
  const servers = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('sftp-server'))
  const headers = (name: string) => ({
    authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  })
  const ask = async (name: string) => {
    const answer = await fetch(`http://127.0.0.1:${fixture.webdavPort}/`, { method: 'OPTIONS', headers: headers(name) })
    await answer.text()
    return answer.status
  }
  const started: (number | undefined)[] = []
  for (const name of ['u1', 'u2', 'u3']) {
    const before = servers()
    assert.equal(await ask(name), 200)
    started.push(servers().find((pid) => !before.includes(pid)))
  }
  // The first one is needed again, so that the second one was needed longest ago.
  assert.equal(await ask('u1'), 200)
  assert.equal(await ask('u4'), 200)
  const [first, second, third] = started
  assert.deepEqual(
    [first, second, third].map((pid) => servers().includes(pid!)),
    [true, false, true],
  )
  assert.equal(servers().length, 3)

  writeFileSync(join(box.files, 'big'), Buffer.alloc(64 << 20))
  const downloads = await Promise.all(
    ['u1', 'u3', 'u4'].map(async (name) => {
      const socket = connect(fixture.webdavPort, '127.0.0.1')
      t.after(() => socket.destroy())
      socket.write(`GET /big HTTP/1.1\r\nHost: box\r\nAuthorization: ${headers(name).authorization}\r\n\r\n`)
      await new Promise((resolve) => socket.once('readable', resolve))
      return socket
    }),
  )
  assert.equal(await ask('u2'), 503)
  downloads[0]!.destroy()
  for (let status = 503; status !== 200; ) status = await ask('u2')
  assert.deepEqual(
    [first, third].map((pid) => servers().includes(pid!)),
    [false, true],
  )
})
