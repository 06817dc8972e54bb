/** WebDAV with the clients of Debian and with the requests of a browser. */
import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { Doors } from '../../src/drivers/storage/doors/open.ts'
import { selfSigned } from '../kit/samples/certificates.ts'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { contentsOf, makeTree } from './kit/trees.ts'

async function webdav(t: TestContext, change: object = {}) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture, change))
  const url = `http://127.0.0.1:${fixture.webdavPort}`
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string) =>
    fetch(url + path, { method, headers: { authorization, ...headers }, ...(body === undefined ? {} : { body }) })
  return { fixture, box, url, ask, local: join(fixture.folder, 'clients') }
}

test('litmus finds nothing', { skip: missing('litmus') }, async (t) => {
  const { fixture, url } = await webdav(t)
  const { code, stdout, stderr } = await fixture.run('litmus', [`${url}/`, 'u1', password])
  assert.equal(code, 0, stdout + stderr)
  assert.doesNotMatch(stdout, /FAIL/)
})

test('rclone brings a tree with its times, sees what changed, and takes it back', {
  skip: missing('rclone'),
}, async (t) => {
  const { fixture, box, url, local } = await webdav(t)
  makeTree(join(local, 'tree'), { mayHave: (name) => !/[\n\\]/.test(name) && name.length < 200 })
  const { stdout } = await fixture.run('rclone', ['obscure', password])
  const remote = `:webdav,url='${url}',vendor=owncloud,user=u1,pass=${stdout.trim()}:`
  const up = await fixture.run('rclone', ['copy', '--create-empty-src-dirs', 'tree', `${remote}up`])
  assert.equal(up.code, 0, up.stderr)
  assert.deepEqual(contentsOf(join(box.files, 'up')), contentsOf(join(local, 'tree')))
  writeFileSync(join(local, 'tree/file-9'), 'X'.repeat(9 * 997))
  utimesSync(join(local, 'tree/file-9'), 1_700_000_000, 1_700_000_000)
  const again = await fixture.run('rclone', ['copy', '-v', 'tree', `${remote}up`])
  assert.match(again.stderr, /file-9: Copied/)
  assert.doesNotMatch(again.stderr, /file-8: Copied/)
  assert.equal((await fixture.run('rclone', ['copy', '--create-empty-src-dirs', `${remote}up`, 'back'])).code, 0)
  assert.deepEqual(contentsOf(join(local, 'back')), contentsOf(join(local, 'tree')))
})

test('a part of a file is sent, and only what has changed', async (t) => {
  const { ask, box } = await webdav(t)
  assert.equal((await ask('PUT', '/a%20b', {}, 'hello world')).status, 201)
  const part = await ask('GET', '/a%20b', { range: 'bytes=6-8' })
  assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 6-8/11', 'wor'])
  assert.equal((await ask('GET', '/a%20b', { range: 'bytes=20-' })).status, 416)
  const etag = part.headers.get('etag')!
  assert.equal((await ask('GET', '/a%20b', { 'if-none-match': etag })).status, 304)
  assert.equal((await ask('PUT', '/a%20b', { 'if-none-match': '*' }, 'x')).status, 412)
  assert.equal((await ask('PUT', '/a%20b', { 'if-match': '"other"' }, 'x')).status, 412)
  assert.equal((await ask('PUT', '/a%20b', { 'oc-checksum': 'MD5:00' }, 'x')).status, 400)
  assert.equal(readFileSync(join(box.files, 'a b'), 'utf8'), 'hello world')
  assert.equal((await ask('PUT', '/none/x', {}, 'x')).status, 409)
  assert.deepEqual(readdirSync(box.files), ['a b'])
  assert.equal((await ask('PROPFIND', '/', { depth: 'infinity' })).status, 403)
  const body = '<propfind xmlns="DAV:"><prop><quota-available-bytes/><quota-used-bytes/></prop></propfind>'
  const quota = await (await ask('PROPFIND', '/', { depth: '0' }, body)).text()
  assert.match(quota, /<D:quota-available-bytes>\d+</)
})

test('properties that clients give to files are those of all servers, and none where they are torn', async (t) => {
  const { ask, box, fixture } = await webdav(t)
  writeFileSync(join(box.files, 'f'), '')
  const directory = join(fixture.folder, 'keys')
  const other = new Doors({ directory, installKey: async () => undefined, report: () => undefined })
  t.after(() => other.close())
  const port = await other.openWebdav({ host: '127.0.0.1', port: 0 })
  other.setAccounts(box.place, 1, [await accountFor(fixture)])
  const authorization = `Basic ${Buffer.from(`u1:${password}`).toString('base64')}`
  const change = (name: string) =>
    `<propertyupdate xmlns="DAV:"><set><prop><${name} xmlns="n">${name}</${name}></prop></set></propertyupdate>`
  const known = async () => (await (await ask('PROPFIND', '/f', { depth: '0' })).text()).match(/(?<=xmlns="n">)\w+/g)
  assert.equal((await ask('PROPPATCH', '/f', {}, change('here'))).status, 207)
  assert.deepEqual(await known(), ['here'])
  const there = { method: 'PROPPATCH', headers: { authorization }, body: change('there') }
  assert.equal((await fetch(`http://127.0.0.1:${port}/f`, there)).status, 207)
  assert.deepEqual(await known(), ['here', 'there'])
  assert.equal((await ask('MOVE', '/f', { destination: '/g' })).status, 201)
  assert.equal((await ask('MOVE', '/g', { destination: '/f' })).status, 201)
  assert.deepEqual(await known(), ['here', 'there'])
  writeFileSync(join(directory, 'properties', `${box.place.id}.json`), '')
  assert.equal(await known(), null)
  assert.match(fixture.reports.flat().join(), /properties .* are lost/)
  assert.equal((await ask('PROPPATCH', '/f', {}, change('again'))).status, 207)
  assert.deepEqual(await known(), ['again'])
})

test('a copy that does not fit, or that cannot be made, leaves what it was to replace', async (t) => {
  const { ask, fixture } = await webdav(t)
  let left = 1_000
  const charge = (bytes: number) => {
    left -= bytes
  }
  const rest = { begin: async () => undefined, written: () => undefined, changed: () => undefined, measured: () => 0 }
  const box = fixture.addBox({ ...rest, room: () => left, charge })
  fixture.set(box, await accountFor(fixture))
  for (const folder of ['d', 'e']) mkdirSync(join(box.files, folder))
  chownAll(box.files, box.place.uid)
  writeFileSync(join(box.files, 'd/big'), 'x'.repeat(2_000))
  for (const path of ['e/kept', 'kept']) assert.equal((await ask('PUT', `/${path}`, {}, path)).status, 201)
  assert.equal((await ask('COPY', '/d', { destination: '/e' })).status, 507)
  assert.equal((await ask('COPY', '/d/big', { destination: '/kept' })).status, 507)
  assert.deepEqual(readdirSync(join(box.files, 'e')), ['kept'])
  assert.equal(readFileSync(join(box.files, 'kept'), 'utf8'), 'kept')
  left = 10_000
  assert.equal((await ask('COPY', '/d', { destination: '/e' })).status, 204)
  assert.deepEqual(readdirSync(join(box.files, 'e')), ['big'])
  assert.equal((await ask('MOVE', '/kept', { destination: '/e' })).status, 204)
  assert.deepEqual(readdirSync(box.files), ['d', 'e'])
  assert.equal(readFileSync(join(box.files, 'e'), 'utf8'), 'kept')
})

function chownAll(folder: string, uid: number): void {
  for (const name of readdirSync(folder)) chownSync(join(folder, name), uid, uid)
}

test('nothing leads out, and a readonly account changes nothing', async (t) => {
  const { ask, box, fixture } = await webdav(t)
  symlinkSync(box.outside, join(box.files, 'out'))
  symlinkSync('/', join(box.files, 'root'))
  for (const path of ['/out/secret', '/root/etc/passwd', '/..%2fsecrets/secret', '/%2e%2e/secrets/secret']) {
    assert.ok([400, 404].includes((await ask('GET', path)).status), path)
  }
  assert.equal((await ask('PUT', '/out/new', {}, 'x')).status, 409)
  assert.deepEqual(readdirSync(box.outside), ['secret'])
  writeFileSync(join(box.files, 'f'), 'as it was')
  mkdirSync(join(box.files, 'd'))
  fixture.set(box, await accountFor(fixture, { isReadonly: true }))
  for (const [method, path, headers] of [
    ['PUT', '/f', {}],
    ['PUT', '/g', {}],
    ['MKCOL', '/e', {}],
    ['DELETE', '/f', {}],
    ['MOVE', '/f', { destination: '/g' }],
    ['COPY', '/f', { destination: '/g' }],
    ['DELETE', '/d', {}],
  ] as const) {
    assert.equal(
      (await ask(method, path, headers, method === 'PUT' ? 'new' : undefined)).status,
      403,
      `${method} ${path}`,
    )
  }
  assert.equal(readFileSync(join(box.files, 'f'), 'utf8'), 'as it was')
  assert.ok(existsSync(join(box.files, 'd')) && !existsSync(join(box.files, 'g')))
})

test('a file that does not fit is refused in words, and leaves nothing behind', async (t) => {
  const { ask, fixture } = await webdav(t)
  let left = 1_000
  const charge = (bytes: number) => {
    left -= bytes
  }
  const box = fixture.addBox({
    begin: async () => undefined,
    room: () => left,
    charge,
    written: () => undefined,
    changed: () => undefined,
    measured: () => 0,
  })
  fixture.set(box, await accountFor(fixture))
  const refused = await ask('PUT', '/big', {}, 'x'.repeat(200_000))
  assert.equal(refused.status, 507)
  assert.deepEqual(readdirSync(box.files), [])
  assert.equal((await ask('PUT', '/small', {}, 'x'.repeat(900))).status, 201)
  assert.ok(left >= 0)
})

test('who has no WebDAV, or a wrong password, does not come in', async (t) => {
  const { fixture, box, url, ask } = await webdav(t)
  assert.equal((await ask('OPTIONS', '/')).status, 200)
  assert.equal((await fetch(url)).status, 401)
  const wrong = `Basic ${Buffer.from('u1:wrong').toString('base64')}`
  assert.equal((await ask('GET', '/', { authorization: wrong })).status, 401)
  fixture.set(box, await accountFor(fixture, { hasWebdav: false }))
  assert.equal((await ask('OPTIONS', '/')).status, 401)
})

test('with a certificate files pass by TLS alone', { skip: missing('curl') }, async (t) => {
  const { certificate, private_key: key } = selfSigned('box.example')
  const fixture = await openDoors(t, { cert: certificate, key })
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const local = join(fixture.folder, 'clients')
  writeFileSync(join(local, 'ca.pem'), certificate)
  writeFileSync(join(local, 'f'), Buffer.alloc(300_000, 'wolke'))
  const at = `box.example:${fixture.webdavPort}`
  const curl = (...args: string[]) =>
    fixture.run('curl', ['-sS', '--fail', '--connect-to', `${at}:127.0.0.1:${fixture.webdavPort}`, ...args])
  const secure = ['--cacert', 'ca.pem', '-u', `u1:${password}`]
  const up = await curl(...secure, '-T', 'f', `https://${at}/f`)
  assert.equal(up.code, 0, up.stderr)
  assert.equal((await curl(...secure, '-o', 'back', `https://${at}/f`)).code, 0)
  assert.deepEqual(readFileSync(join(local, 'back')), readFileSync(join(local, 'f')))
  assert.notEqual((await curl('-u', `u1:${password}`, `http://${at}/f`)).code, 0)
  assert.notEqual((await curl('-u', `u1:${password}`, `https://${at}/f`)).code, 0, 'the certificate is not checked')
})
