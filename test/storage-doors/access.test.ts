/** Who comes in by which door, and what ends when that changes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, openSync } from 'node:fs'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { AccountState } from '../../src/families/storage-boxes/driver.ts'
import { accountFor, missing, password } from './kit/doors.ts'
import { arrived, processOf } from './kit/process.ts'

const skip = missing('sftp', 'ssh', 'ssh-keygen')
const auth = `u1:${password}`

test('from outside come those alone who are reachable externally', { skip: skip || missing('ip') }, async () => {
  const script = join(import.meta.dirname, 'kit/external.ts')
  const net = 'ip link set lo up && ip address add 203.0.113.7/32 dev lo && exec "$@"'
  const args = ['--net', 'sh', '-c', net, 'sh', process.execPath, script]
  const { stdout } = await promisify(execFile)('unshare', args, { timeout: 60_000 })
  assert.deepEqual(JSON.parse(stdout), {
    closed: { outside: [401, ''], within: [200, '/'] },
    open: { outside: [200, '/'], within: [200, '/'] },
    heard: 'still',
  })
})

test('ten connections are those of both doors together', { skip }, async (t) => {
  const { fixture, doors, set } = await processOf(t)
  await set(await accountFor(fixture))
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const at = { host: '127.0.0.1', port: doors.opened.webdav!, method: 'OPTIONS', auth }
  const ask = async (over: Agent) => {
    const [response] = (await once(request({ ...at, agent: over }).end(), 'response')) as [IncomingMessage]
    await once(response.resume(), 'end')
    return response.statusCode
  }
  // Its password is known from then on: of those who show one that is not, few may wait.
  assert.equal(await ask(agent), 200)
  const many = await Promise.all(Array.from({ length: 10 }, () => ask(agent)))
  assert.deepEqual(new Set(many), new Set([200]))
  assert.equal(await ask(new Agent()), 503)
  assert.notEqual((await fixture.sftp('u1', 'ls\n')).code, 0)
  // Each of those that are in goes on.
  assert.equal(await ask(agent), 200)
  agent.destroy()
  await arrived(() => Object.keys(agent.sockets).length + Object.keys(agent.freeSockets).length === 0)
  let code = -1
  for (const end = Date.now() + 20_000; code !== 0 && Date.now() < end; ) code = (await fixture.sftp('u1', 'ls\n')).code
  assert.equal(code, 0)
})

const largeBytes = 300_000_000

/** Begins to read a file that is longer than what a socket holds; `rest` reads on, and says whether all of it came. */
async function download(port: number) {
  const [response] = (await once(get({ host: '127.0.0.1', port, path: '/large', auth, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  assert.equal(response.statusCode, 200)
  response.pause()
  const rest = async () => {
    let bytes = 0
    try {
      for await (const piece of response) bytes += (piece as Buffer).length
    } catch {
      return false
    }
    return bytes === largeBytes
  }
  return { rest }
}

test('a new password ends no request of WebDAV, and what takes the right away ends it', { skip }, async (t) => {
  const { fixture, doors, box, set } = await processOf(t)
  const account = await accountFor(fixture)
  await set(account)
  const file = openSync(join(box.files, 'large'), 'w')
  ftruncateSync(file, largeBytes)
  closeSync(file)
  const other = `${account.passwordHash.slice(0, -2)}AA`
  const changes: [boolean, AccountState[]][] = [
    [true, [{ ...account, passwordHash: other }]],
    [true, [{ ...account, hasSsh: false }]],
    [false, [{ ...account, hasWebdav: false }]],
    [false, [{ ...account, isReadonly: true }]],
    [false, []],
  ]
  for (const [goesOn, states] of changes) {
    await set(account)
    const { rest } = await download(doors.opened.webdav!)
    await set(...states)
    assert.equal(await rest(), goesOn, JSON.stringify(states))
  }
})
