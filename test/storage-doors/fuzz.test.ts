/** Paths of hostile clients as commands and as requests of WebDAV: nobody reads or writes outside of his home. */
import assert from 'node:assert/strict'
import { chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { Accounts } from '../../src/drivers/storage/doors/accounts.ts'
import { Files } from '../../src/drivers/storage/doors/files.ts'
import { commands } from '../../src/drivers/storage/doors/ssh/commands/table.ts'
import { NotWords, wordsOf } from '../../src/drivers/storage/doors/ssh/commands/words.ts'
import { isLong } from '../run/long.ts'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'

const skip = missing('ssh-keygen')
const count = isLong ? 10_000 : 2_000
const together = 20
const secret = 'secret of the machine'

/** A subaccount whose home is full of links, and what is around it. */
async function trap(t: TestContext) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  const [main, guest] = [await accountFor(fixture), await accountFor(fixture, { username: 'u1-sub1', home: 'sub' })]
  fixture.set(box, main, guest)
  const sub = join(box.files, 'sub')
  mkdirSync(join(sub, 'folder'), { recursive: true })
  for (const path of [sub, join(sub, 'folder')]) chownSync(path, box.place.uid, box.place.gid)
  writeFileSync(join(box.files, 'private'), secret)
  const targets = ['/', '..', '../..', '/proc/self/root', '/etc', box.outside, `..${box.outside}`, fixture.folder]
  /** Makes the links that a guest has removed or replaced. */
  const link = () => {
    for (const [index, target] of targets.entries()) {
      rmSync(join(sub, `l${index}`), { recursive: true, force: true })
      symlinkSync(target, join(sub, `l${index}`))
    }
  }
  link()
  const parts = [
    ...[
      '..',
      '.',
      '',
      '...',
      'etc',
      'passwd',
      'proc',
      'self',
      'root',
      'cwd',
      '1',
      'private',
      'secret',
      'secrets',
      'tmp',
    ],
    ...['sub', 'folder', 'new', 'box-1', 'files', '.zfs', '~', '-r', '*'],
    ...[box.outside, fixture.folder, '/etc/passwd'],
    ...targets.map((_, index) => `l${index}`),
  ]
  const outside = () => [fixture.folder, box.files, box.outside, '/'].map((folder) => readdirSync(folder).sort())
  return { fixture, box, guest, parts, outside, link }
}

const known = /root:x:0:0|secret of the machine/

test(`${count} commands reach nothing outside`, { skip }, async (t) => {
  const { box, guest, parts, outside, link } = await trap(t)
  const accounts = new Accounts()
  accounts.set(box.place, 1, [guest])
  const files = await Files.open(accounts.find(guest.username)!)
  t.after(() => files.close())
  const path = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 }).map((all) => all.join('/'))
  const quoted = fc.oneof(
    path,
    path.map((words) => `'${words}'`),
    path.map((words) => `"${words}"`),
  )
  const names = Object.keys(commands).filter((name) => name !== 'scp' && name !== 'rclone')
  const options = fc.constantFrom('', '-r', '-a', '-R', '-f', '-p', '-la', '--', '-L', 'of=', 'if=')
  const command = fc.tuple(fc.constantFrom(...names), options, fc.array(quoted, { minLength: 1, maxLength: 3 }))
  const before = outside()
  const heard: string[] = []
  let answered = 0
  const shell = {
    files,
    ledger: undefined,
    input: (async function* () {
      yield Buffer.from('escaped')
    })(),
    print: async (text: string | Buffer) => void heard.push(text.toString('latin1')),
    complain: () => undefined,
  }
  const run = async ([name, option, paths]: [string, string, string[]]) => {
    const line = option.endsWith('=') ? `${name} ${option}${paths.join(' ')}` : `${name} ${option} ${paths.join(' ')}`
    try {
      const [own = '', ...words] = wordsOf(line)
      if ((await commands[own]!(shell, words)) === 0) answered++
    } catch (error) {
      assert.ok(error instanceof NotWords || error instanceof Error)
    }
  }
  const lines = fc.sample(command, { numRuns: count, seed: 46 })
  for (let at = 0; at < lines.length; at += together) {
    link()
    await Promise.all(lines.slice(at, at + together).map(run))
    assert.doesNotMatch(heard.splice(0).join(''), known)
  }
  assert.ok(files.isOpen && answered > count / 100, `${answered} were answered`)
  assert.deepEqual(outside(), before)
})

test(`${count} requests of WebDAV reach nothing outside`, { skip }, async (t) => {
  const { fixture, guest, parts, outside, link } = await trap(t)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  t.after(() => agent.destroy())
  const encoded = fc.constantFrom(
    (part: string) => part,
    encodeURIComponent,
    (part: string) => part.replaceAll('.', '%2e').replaceAll('/', '%2f'),
    (part: string) => part.replaceAll('.', '%252e'),
    (part: string) => part.replaceAll('/', '\\'),
  )
  const part = fc.tuple(fc.constantFrom(...parts), encoded).map(([words, encode]) => encode(words))
  const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((all) => `/${all.join('/')}`)
  const methods = ['GET', 'PUT', 'DELETE', 'MKCOL', 'COPY', 'MOVE', 'PROPFIND', 'PROPPATCH', 'LOCK', 'HEAD']
  const auth = `${guest.username}:${password}`
  const ask = (method: string, from: string, to: string) =>
    new Promise<{ status: number; body: string }>((resolve, reject) => {
      const headers = { destination: to, depth: '1', overwrite: 'T' }
      const options = { host: '127.0.0.1', port: fixture.webdavPort, auth, agent, method, path: from, headers }
      const asked = request(options, async (response) => {
        const body = Buffer.concat(await response.toArray()).toString('latin1')
        resolve({ status: response.statusCode!, body })
      })
      asked.once('error', reject)
      asked.end(method === 'PUT' ? 'escaped' : undefined)
    })
  const before = outside()
  let done = 0
  const run = async ([method, from, to]: [string, string, string]) => {
    const { status, body } = await ask(method, from, to)
    assert.ok(status < 600 && status !== 500, `${method} ${from}: ${status}`)
    assert.doesNotMatch(body, known, `${method} ${from}`)
    if (status < 300) done++
  }
  const asked = fc.tuple(fc.constantFrom(...methods), path, path)
  const all = fc.sample(asked, { numRuns: count, seed: 46 })
  for (let at = 0; at < all.length; at += together) {
    link()
    await Promise.all(all.slice(at, at + together).map(run))
  }
  assert.ok(done > count / 100, `${done} were done`)
  assert.deepEqual(outside(), before)
})
