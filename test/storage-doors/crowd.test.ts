/** Many at a time: open connections, and those who guess passwords. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import ssh2 from 'ssh2'
import { mostPrograms } from '../../src/drivers/storage/doors/jail/starting.ts'
import { isLong } from '../run/long.ts'
import { accountFor, missing, password } from './kit/doors.ts'
import { childrenOf, heldMb, processOf, programPid } from './kit/process.ts'

const skip = missing('sftp', 'ssh-keygen')
/** One account has so many connections. */
const each = 10
const connections = isLong ? 1_000 : 100
/** What the doors and their file servers may hold for each. */
const mostMb = 8
/** So many log in at a time, as one network may. */
const together = 8

test(`${connections} connections stay open and each is served`, { skip }, async (t) => {
  const { fixture, doors } = await processOf(t)
  const state = await accountFor(fixture)
  const usernames = Array.from({ length: connections / each }, (_, index) => `u${index}`)
  for (let at = 0; at < usernames.length; at += mostPrograms / each) {
    const { ledger: _, ...place } = fixture.addBox().place
    const some = usernames.slice(at, at + mostPrograms / each)
    await doors.setAccounts(
      { ...place, quota: null },
      1,
      some.map((username) => ({ ...state, username })),
    )
  }
  const privateKey = readFileSync(join(fixture.folder, 'clients', 'key'), 'utf8')
  const clients: ssh2.Client[] = []
  t.after(() => {
    for (const client of clients) client.destroy()
  })
  const connect = async (username: string) => {
    const client = new ssh2.Client()
    clients.push(client)
    await new Promise((resolve, reject) => {
      client.once('ready', () => resolve(undefined)).once('error', reject)
      client.connect({ host: '127.0.0.1', port: fixture.sshPort, username, privateKey, readyTimeout: 120_000 })
    })
    const files = await new Promise<ssh2.SFTPWrapper>((resolve, reject) =>
      client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))),
    )
    return files
  }
  const programs = () => [programPid(), ...childrenOf(programPid())]
  const before = heldMb(programs())
  const all = usernames.flatMap((username) => Array.from({ length: each }, () => username))
  const sessions: ssh2.SFTPWrapper[] = []
  for (let at = 0; at < all.length; at += together) {
    sessions.push(...(await Promise.all(all.slice(at, at + together).map(connect))))
  }
  const root = (files: ssh2.SFTPWrapper) =>
    new Promise<string>((resolve, reject) =>
      files.realpath('.', (error, path) => (error ? reject(error) : resolve(path))),
    )
  assert.equal(sessions.length, connections)
  assert.ok((await Promise.all(sessions.map(root))).every((path) => path === '/'))
  const mb = (heldMb(programs()) - before) / connections
  t.diagnostic(`${mb.toFixed(2)} MB are held for each connection`)
  assert.ok(mb <= mostMb, `${mb} MB are held for each connection`)
})

test('who guesses passwords is answered each time, by both doors, and others come in', { skip }, async (t) => {
  const { fixture, set, doors } = await processOf(t)
  const state = await accountFor(fixture)
  await set(...['u1', 'u2', 'u3'].map((username) => ({ ...state, username })))
  const guess = (word: string) =>
    new Promise<string>((resolve) => {
      const client = new ssh2.Client()
      client.once('ready', () => resolve('in')).on('error', ({ level }) => resolve(level ?? 'error'))
      client.once('close', () => resolve('closed'))
      const options = { host: '127.0.0.1', port: fixture.sshPort, username: 'u1', readyTimeout: 60_000 }
      client.connect({ ...options, password: word, localAddress: '127.0.1.1' })
    })
  const ask = async (username: string, word: string) => {
    const authorization = `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`
    const url = `http://127.0.0.1:${doors.opened.webdav!}/`
    return (await fetch(url, { method: 'OPTIONS', headers: { authorization } })).status
  }
  const guesses = Array.from({ length: 60 }, (_, index) => guess(`wrong ${index}`))
  assert.equal(await ask('u2', password), 200)
  assert.deepEqual(new Set(await Promise.all(guesses)), new Set(['client-authentication']))
  assert.equal(await ask('u3', password), 200)
})

for (const [from, networks, count] of [
  ['many networks', 5, 40],
  ['the same network', 1, 24],
] as const) {
  test(`connections from ${from} that say nothing keep nobody out`, { skip }, async (t) => {
    const { fixture, set } = await processOf(t)
    await set(await accountFor(fixture))
    const sockets = Array.from({ length: count }, (_, index) =>
      connect({ host: '127.0.0.1', port: fixture.sshPort, localAddress: `127.0.${index % networks}.1` }),
    )
    t.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    const args = ['-p', `${fixture.sshPort}`, ...fixture.options(), 'u1@127.0.0.1', 'pwd']
    const { code, stderr } = await fixture.run('ssh', args)
    assert.equal(code, 0, stderr)
  })
}
