/** Requests of WebDAV that ask for more than anybody needs: they cost little, and others are served meanwhile. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { accountFor, missing, openDoors, password } from './kit/doors.ts'

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
