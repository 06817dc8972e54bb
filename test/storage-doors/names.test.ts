/** A thousand files with names that somebody may have: bytes, not texts. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'

const count = 1_000
const longest = 255

const pieces = [
  ...[
    'a',
    'B',
    '0',
    ' ',
    '.',
    '-',
    '_',
    '~',
    '$HOME',
    '`id`',
    '$(id)',
    "'",
    '"',
    '\\',
    '\n',
    '\r',
    '\t',
    ';',
    '&',
    '|',
  ],
  ...[
    '*',
    '?',
    '[a]',
    '{b}',
    '#',
    '%',
    '%2F',
    '%00',
    '+',
    '=',
    '@',
    ':',
    '<',
    '>',
    '(',
    ')',
    '!',
    '^',
    ',',
    'ä',
    'é',
    'e\u0301',
  ],
  ...['日本', '😀', '\u202e', '\u200b', '\ufeff', '\x01', '\x7f', 'CON', '.hidden', '..', '...', 'x'.repeat(100)],
]

/** Names of files as bytes, each of them once. */
function namesOf(parts: fc.Arbitrary<Buffer>): Buffer[] {
  const some = fc.array(parts, { minLength: 1, maxLength: 6 }).map((all) => Buffer.concat(all))
  const isName = (name: Buffer) =>
    name.length <= longest && !name.includes(0) && !name.includes('/') && !/^\.\.?$/.test(`${name}`)
  const found = new Map<string, Buffer>()
  for (const name of fc.sample(some, { numRuns: 20 * count, seed: 46 })) {
    if (isName(name) && found.size < count) found.set(name.toString('latin1'), name)
  }
  assert.equal(found.size, count)
  return [...found.values()]
}

const text = fc.constantFrom(...pieces.map((piece) => Buffer.from(piece)))
const bytes = fc.oneof(
  text,
  fc.constantFrom(...[0x80, 0xff, 0xc3, 0xed, 0xfe, 0x1b].map((byte) => Buffer.from([byte]))),
)

const within = (folder: string, name: Buffer) => Buffer.concat([Buffer.from(`${folder}/`), name])

/** Contents of the files of a folder by their names. */
function contentsByName(folder: string): Map<string, string> {
  const names = readdirSync(folder, { encoding: 'buffer' })
  return new Map(
    names.map((name) => [name.toString('latin1'), readFileSync(within(folder, name), 'latin1')] as const).sort(),
  )
}

async function filled(t: TestContext, parts: fc.Arbitrary<Buffer>) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const local = join(fixture.folder, 'clients')
  mkdirSync(join(local, 'tree'))
  const names = namesOf(parts)
  for (const name of names) writeFileSync(within(join(local, 'tree'), name), Buffer.concat([Buffer.from('of '), name]))
  return { fixture, box, local, names, tree: contentsByName(join(local, 'tree')) }
}

test('sftp brings them and takes them back', { skip: missing('sftp') }, async (t) => {
  const { fixture, box, local, tree } = await filled(t, bytes)
  const { code, stderr } = await fixture.sftp('u1', 'put -r tree\nlmkdir back\nlcd back\nget -r tree\n')
  assert.equal(code, 0, stderr)
  assert.deepEqual(contentsByName(join(box.files, 'tree')), tree)
  assert.deepEqual(contentsByName(join(local, 'back/tree')), tree)
})

test('scp brings them and takes them back', { skip: missing('scp') }, async (t) => {
  const { fixture, box, local, tree } = await filled(t, bytes)
  const options = ['-s', '-r', '-P', `${fixture.sshPort}`, ...fixture.options()]
  for (const [from, to] of [
    ['tree', 'u1@127.0.0.1:up'],
    ['u1@127.0.0.1:up', 'back'],
  ] as const) {
    const { code, stderr } = await fixture.run('scp', [...options, from, to])
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(contentsByName(join(box.files, 'up')), tree)
  assert.deepEqual(contentsByName(join(local, 'back')), tree)
})

test('rsync brings them and takes them back', { skip: missing('rsync') }, async (t) => {
  const { fixture, box, local, tree } = await filled(t, bytes)
  for (const [from, to] of [
    ['tree/', 'u1@127.0.0.1:up/'],
    ['u1@127.0.0.1:up/', 'back/'],
  ] as const) {
    const { code, stderr } = await fixture.run('rsync', ['-a', '-e', fixture.shell, from, to])
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual(contentsByName(join(box.files, 'up')), tree)
  assert.deepEqual(contentsByName(join(local, 'back')), tree)
})

test('WebDAV brings them, lists them and takes them back', { skip: missing('ssh-keygen') }, async (t) => {
  const { fixture, box, names, tree } = await filled(t, text)
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  t.after(() => agent.destroy())
  const ask = (method: string, path: string, body?: Buffer, headers: object = {}) =>
    new Promise<{ status: number; body: Buffer }>((resolve, reject) => {
      const to = { host: '127.0.0.1', port: fixture.webdavPort, auth: `u1:${password}`, agent }
      const asked = request({ ...to, method, path, headers: { ...headers } }, async (response) => {
        resolve({ status: response.statusCode!, body: Buffer.concat(await response.toArray()) })
      })
      asked.once('error', reject)
      asked.end(body)
    })
  assert.equal((await ask('MKCOL', '/up')).status, 201)
  const pathOf = (name: Buffer) => `/up/${encodeURIComponent(name.toString())}`
  const contentOf = (name: Buffer) => tree.get(name.toString('latin1'))!
  const put = async (name: Buffer) => {
    assert.equal((await ask('PUT', pathOf(name), Buffer.from(contentOf(name), 'latin1'))).status, 201, name.toString())
    assert.equal((await ask('GET', pathOf(name))).body.toString('latin1'), contentOf(name))
  }
  for (let at = 0; at < names.length; at += 8) await Promise.all(names.slice(at, at + 8).map(put))
  assert.deepEqual(contentsByName(join(box.files, 'up')), tree)
  const listed = (await ask('PROPFIND', '/up/', undefined, { depth: '1' })).body.toString()
  const hrefs = [...listed.matchAll(/<D:href>([^<]*)<\/D:href>/g)].map(([, href]) => decodeURIComponent(href!))
  assert.deepEqual(hrefs.filter((href) => href !== '/up/').sort(), names.map((name) => `/up/${name}`).sort())
})
