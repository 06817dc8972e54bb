/** A thousand files with names that somebody may have: bytes, not texts. */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'
import { contentsByName, fillWithNames, type WhichNames } from './kit/names.ts'

async function filled(t: TestContext, which: WhichNames) {
  const fixture = await openDoors(t)
  const box = fixture.addBox()
  fixture.set(box, await accountFor(fixture))
  const local = join(fixture.folder, 'clients')
  const names = fillWithNames(join(local, 'tree'), which)
  return { fixture, box, local, names, tree: contentsByName(join(local, 'tree')) }
}

test('sftp brings them and takes them back', { skip: missing('sftp') }, async (t) => {
  const { fixture, box, local, tree } = await filled(t, { areBytes: true })
  const { code, stderr } = await fixture.sftp('u1', 'put -r tree\nlmkdir back\nlcd back\nget -r tree\n')
  assert.equal(code, 0, stderr)
  assert.deepEqual(contentsByName(join(box.files, 'tree')), tree)
  assert.deepEqual(contentsByName(join(local, 'back/tree')), tree)
})

test('scp brings them and takes them back', { skip: missing('scp') }, async (t) => {
  const { fixture, box, local, tree } = await filled(t, { areBytes: true })
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
  const { fixture, box, local, tree } = await filled(t, { areBytes: true })
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
  const { fixture, box, names, tree } = await filled(t, {})
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
