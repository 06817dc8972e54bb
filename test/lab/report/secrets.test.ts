/** Secrets that clients sent, wherever they put them, and what a report keeps of them: nothing. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { generateToken } from '../../../src/kernel/access/token-text.ts'
import { pathWithout, withoutTokens } from '../../../src/lab/report/masks.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { frozen, reportsOf } from './lab.ts'

const key = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  .privateKey.export({ format: 'pem', type: 'pkcs8' })
  .toString()
/** A part of it, as it is in any spelling of line ends. */
const keyLine = key.split('\n')[1]!
/** A certificate as far as anybody can tell who does not read it; its lines are as long as a token. */
const publicBlock = key.replaceAll('PRIVATE KEY', 'CERTIFICATE').replace(keyLine, keyLine.toLowerCase())
/** One that was made here, and one as `--token` takes it. */
const tokens = [generateToken(), randomBytes(32).toString('hex')] as const

function assertWithout(text: string, secrets: readonly string[]) {
  for (const secret of secrets) assert.ok(!text.includes(secret), `'${secret}' is in ${text}`)
}

forEachDatabase('Secrets of a run', (open) => {
  test('are not in its HAR file, under whatever name and in whatever place they came', async () => {
    const world = await open(frozen())
    const { api } = world
    const reports = await reportsOf(world)
    const run = await reports.begin()
    const own = { name: 'own', type: 'uploaded' }
    await api.post('/certificates', { ...own, certificate: key + publicBlock, private_key: 'sent as it should be' })
    await api.post('/certificates', { ...own, certificate: publicBlock, privateKey: 'sent in another case' })
    await api.post('/certificates', { ...own, certificate: key.slice(0, 500), 'Private-Key': 'sent with a dash' })
    await api.get('/servers?token=first+of+query&Password=second%20of%20query&private_key=third&name=one')
    await api.get(`/servers?name=${encodeURIComponent(key)}&${tokens[0]}=1`)
    await api.get('/servers?auth%5Btoken%5D=sent+in+brackets')
    for (const token of tokens) {
      await api.get(`/servers/${token}`)
      await api.post('/firewalls', { name: `Bearer ${token}`, [token]: [token] })
    }
    await api.post('/servers', 'a bare text')
    await api.get('/locations', { 'user-agent': `suite/1.0 ${'long'.repeat(20)} ${tokens[0]}` })
    const { text } = await reports.client.get(`${reports.url}/runs/${run}/har`)
    const sent = [
      'sent as',
      'sent in',
      'sent+in',
      'sent with',
      'first of',
      'first+of',
      'second',
      'third',
      'a bare text',
    ]
    assertWithout(text, [...sent, ...tokens, keyLine, encodeURIComponent(keyLine), 'longlong'])
    const { entries } = JSON.parse(text).log
    assert.equal(JSON.parse(entries[0].request.postData.text).certificate, `(masked)\n${publicBlock}`)
    assert.equal(
      entries[3].request.url,
      `${world.baseUrl}/servers?token=(masked)&Password=(masked)&private_key=(masked)&name=one`,
    )
    assert.deepEqual(entries[3].request.queryString.at(-1), { name: 'name', value: 'one' })
    const agent = entries.at(-1).request.headers.find(({ name }: { name: string }) => name === 'user-agent')
    assert.match(agent.value, /^suite\/1\.0 /)
  })

  test('are not in its report when they are names of fields or in the URLs of lists', async () => {
    const world = await open(frozen())
    const { api } = world
    const reports = await reportsOf(world)
    const run = await reports.begin('\u001b[31mred\nFAILS: nothing\u202e')
    for (const name of ['a', 'b']) await done(api.post('/firewalls', { name }))
    const names = [...tokens, key.slice(0, 500), 'two words', 'x'.repeat(65)]
    for (const name of names) await api.post('/firewalls', { name: 'c', [name]: 1, rules: [{ [name]: 1 }] })
    for (const name of names) await api.get(`/firewalls?per_page=1&${encodeURIComponent(name)}=1&password=hunter2`)
    await api.post('/firewalls', { name: 'd', colour: 1 })
    const path = `${reports.url}/runs/${run}/report`
    for (const accept of ['application/json', 'text/plain', 'application/xml']) {
      const { text } = await reports.client.get(path, { accept })
      assertWithout(text, [...tokens, keyLine, 'two words', 'x'.repeat(65), 'hunter2', '\u001b', '\nFAILS: nothing'])
    }
    const { text } = await reports.client.get(path, { accept: 'text/plain' })
    assert.match(text, /^Run 1 \(\?\[31mred\?FAILS: nothing\?\), from /)
    const { unknown_fields, unfollowed_pages } = await reports.of(run)
    assert.deepEqual(
      unknown_fields.map(({ field, place, count }) => [field, place, count]),
      [
        ['(masked)', 'query', 5],
        ['password', 'query', 5],
        ['(masked)', 'body', 5],
        ['colour', 'body', 1],
        ['rules[].(masked)', 'body', 5],
      ],
    )
    assert.deepEqual(
      unfollowed_pages.map(({ list }) => list),
      ['/v1/firewalls?per_page=1'],
    )
  })
})

test('What is no secret stays as it was written', () => {
  const rsa = `ssh-rsa ${randomBytes(279).toString('base64')} me@example.com`
  const texts = [rsa, publicBlock, 'hcloud-go/2.36 (+https://example.com)', `${'a'.repeat(40)}.${'b'.repeat(23)}`]
  for (const text of texts) assert.equal(withoutTokens(text), text)
  for (const path of ['/v1/zones/a%2Fb/rrsets/%40/TXT', '/v1/servers/%', `/v1/zones/${'a'.repeat(60)}.com`])
    assert.equal(pathWithout(path), path)
})

test('Private keys and tokens are masked inside of longer texts', () => {
  const [own, given] = tokens
  assert.equal(withoutTokens(`a ${own}, b '${given}': c`), "a (masked), b '(masked)': c")
  assert.equal(withoutTokens(`export HCLOUD_TOKEN=${given}`), 'export HCLOUD_TOKEN=(masked)')
  assert.equal(withoutTokens(`x${key}y`), 'x(masked)\ny')
  assert.equal(withoutTokens(`${key.slice(0, 100)}`), '(masked)')
  assert.equal(withoutTokens(key.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE')), '(masked)\n')
  assert.equal(withoutTokens('-----BEGIN PGP PRIVATE KEY BLOCK-----\nx'), '(masked)')
  assert.equal(withoutTokens(`${'!$'.repeat(32)}`), '(masked)')
})
