/** Reading a living Project: by GET alone, all pages, with patience; what cannot be read is named. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { allKinds } from '../../../src/lab/seed/kinds.ts'
import { readProject } from '../../../src/lab/seed/present.ts'
import { Remote } from '../../../src/lab/seed/remote.ts'
import { leftOutOf, writeSeed } from '../../../src/lab/seed/write.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { labOptions, seedsOf, serve } from './kit.ts'

const everything = readFileSync(join(import.meta.dirname, 'everything.yaml'), 'utf8')
const token = 'shop'.repeat(16)

forEachDatabase('An import', (open) => {
  test('reads the Project of another server, and changes nothing there', async (t) => {
    const world = await open(labOptions())
    const seeds = await seedsOf(world)
    await done(seeds.yaml(everything))
    const firewalls = Array.from({ length: 55 }, (_, at) => ({ name: `more-${at}` }))
    await done(seeds.post({ projects: [{ name: 'shop', firewalls }] }))
    const expected = await seeds.export('shop')

    const methods = new Set<string>()
    const refused = new Set<string>()
    const endpoint = await serve(t, async ({ method = '', url = '', headers }, response) => {
      methods.add(method)
      if (!refused.has(url)) {
        refused.add(url)
        response.writeHead(429, { 'retry-after': '0' }).end('{}')
        return
      }
      const path = url.slice('/v1'.length)
      const reply = await fetch(world.baseUrl + path, {
        method,
        headers: { authorization: headers.authorization ?? '' },
      })
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(await reply.text())
    })
    const present = await readProject(new Remote({ endpoint, token }))
    assert.equal(writeSeed('shop', present), expected.text)
    assert.deepEqual(leftOutOf(present), [])
    assert.deepEqual([...methods], ['GET'])
    assert.ok([...refused].some((url) => url.includes('page=2')))
    assert.deepEqual(await seeds.export('shop'), expected)
  })

  test('names secrets, and is complete again with them', async () => {
    const seeds = await seedsOf(await open(labOptions()))
    const zone = {
      name: 'example.com',
      mode: 'secondary',
      primary_nameservers: [{ address: '192.0.2.53', tsig_algorithm: 'hmac-sha256', tsig_key: 'c2VjcmV0' }],
    }
    await done(seeds.post({ projects: [{ name: 'shop', zones: [zone] }] }))
    const { text, left_out } = await seeds.export('shop')
    assert.deepEqual(left_out, ['zones: example.com: tsig_key: left out, because it is a secret'])
    assert.match(text, /# tsig_key: left out, because it is a secret\n\s+- name: example.com/)
    assert.doesNotMatch(text, /c2VjcmV0/)
  })
})

test('An import names what a server does not have, and what it does not understand', async (t) => {
  const endpoint = await serve(t, ({ url = '' }, response) => {
    const [, family = ''] = /^\/v1\/(\w+)/.exec(url) ?? []
    if (family === 'zones') {
      response.writeHead(404).end(JSON.stringify({ error: { code: 'not_found', message: 'no such family' } }))
      return
    }
    const strange = family === 'servers' ? [{ id: 1, name: 'strange' }] : []
    response.end(JSON.stringify({ [family]: strange, meta: { pagination: { next_page: null } } }))
  })
  const present = await readProject(new Remote({ endpoint, token }))
  const [unread, strange, ...others] = leftOutOf(present)
  assert.equal(unread, 'zones: could not be read: no such family (not_found)')
  assert.match(strange!, /^servers: strange: left out, because it is not understood/)
  assert.deepEqual(others, [])
  assert.match(writeSeed('one', present), /# zones: could not be read: no such family \(not_found\)/)
})

test('An import ends when the server refuses the token, and never follows it elsewhere', async (t) => {
  const refusing = await serve(t, (_, response) => {
    response.writeHead(401).end(JSON.stringify({ error: { code: 'unauthorized', message: 'unable to authenticate' } }))
  })
  await assert.rejects(readProject(new Remote({ endpoint: refusing, token })), /unable to authenticate/)
  let asked = 0
  const elsewhere = await serve(t, (_, response) => {
    asked++
    response.end('{}')
  })
  const leading = await serve(t, (_, response) => {
    response.writeHead(302, { location: elsewhere }).end()
  })
  await assert.rejects(readProject(new Remote({ endpoint: leading, token })), /cannot be reached/)
  assert.equal(asked, 0)
})

test('what is no GET is not sent', async () => {
  const [kind] = allKinds()
  const remote = new Remote({ endpoint: 'http://127.0.0.1:9/v1', token })
  await assert.rejects(remote.call(kind!.create, {}), /is not for reading/)
})
