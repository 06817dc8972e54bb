/** Recorded requests, sent again to another cloud. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generateToken } from '../../../src/kernel/access/token-text.ts'
import { readHar } from '../../../src/lab/report/replay/har-file.ts'
import { linesOf, type Replayed, replay } from '../../../src/lab/report/replay/replay.ts'
import { forEachDatabase, type World } from '../../kit/harness.ts'
import { done } from '../../kit/proof.ts'
import { frozen, reportsOf } from './lab.ts'

/** Does what a client would, and returns the file of it. */
async function recorded(world: World): Promise<string> {
  const { api } = world
  const { client, url } = await reportsOf(world)
  const network = await done(api.post('/networks', { name: 'net', ip_range: '10.0.0.0/16' }))
  const { id } = network.network
  const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' }
  const { action } = await done(api.post(`/networks/${id}/actions/add_subnet`, subnet))
  await api.get(`/actions?id=${action.id}`)
  await world.settle()
  await done(api.get(`/actions?id=${action.id}`))
  const body = { name: 'one', server_type: 'cx23', image: 'debian-12', networks: [id], user_data: 'secret' }
  const made = await done(api.post('/servers', body))
  await world.settle()
  await done(api.get(`/servers/${made.server.id}`))
  await api.post('/networks', { name: 'net', ip_range: '10.0.0.0/16' })
  await api.post('/certificates', { name: 'own', type: 'uploaded', private_key: 'x', certificate: 'y' })
  await world.anonymous.get('/servers')
  await done(api.get('/servers'))
  await api.get('/servers/%')
  await api.get('/servers?name=100%25')
  await api.get(`/servers/${generateToken()}`)
  return (await client.get(`${url}/har`)).text
}

async function replayed(file: string, world: World, token: string): Promise<Replayed[]> {
  const outcomes: Replayed[] = []
  const target = { endpoint: world.baseUrl, token, waitMs: 20_000 }
  for await (const outcome of replay(readHar(file), target)) outcomes.push(outcome)
  return outcomes
}

/** A token of the first Project of a world. */
async function tokenOf(world: World): Promise<string> {
  const { client, url } = await reportsOf(world)
  const { log } = await done(client.get(`${url}/har`))
  const { project } = log.entries[0]._wolke
  return (await done(client.post(`${url}/projects/${project}/tokens`, { name: 'replay', access: 'read_write' }))).secret
}

forEachDatabase('A replay', (open) => {
  test('is answered as it was recorded, though other ids and addresses are given out', async () => {
    const file = await recorded(await open(frozen()))
    const other = await open(frozen())
    await done(other.api.post('/firewalls', { name: 'takes an id' }))
    const outcomes = await replayed(file, other, await tokenOf(other))
    assert.deepEqual(
      outcomes.flatMap(linesOf).map((line) => line.replace(/^\d+ /, '')),
      [
        'POST /certificates: not sent: its private_key was not recorded',
        'GET /servers: not sent: it had no valid token',
        'GET /servers/(masked): not sent: its URL held a secret, which was not recorded',
      ],
    )
    // The first of the two reads of the action was a poll.
    assert.equal(outcomes.length, 12)
    const { servers } = await done(other.api.get('/servers'))
    assert.equal(servers.length, 1)
  })

  test('tells what is answered differently', async () => {
    const file = await recorded(await open(frozen()))
    const other = await open(frozen())
    await done(other.api.post('/networks', { name: 'another', ip_range: '10.1.0.0/16' }))
    const har = JSON.parse(file)
    const [made] = har.log.entries
    const answer = JSON.parse(made.response.content.text)
    answer.network.name = 'former'
    answer.network.colour = 'red'
    made.response.content.text = JSON.stringify(answer)
    made.response.status = 200
    har.log.entries = [made]
    const outcomes = await replayed(JSON.stringify(har), other, await tokenOf(other))
    assert.deepEqual(outcomes.flatMap(linesOf), [
      '1 POST /networks: status: 200 is now 201',
      '1 POST /networks: network.name: "former" is now "net"',
      '1 POST /networks: network.colour: "red" is now nothing',
    ])
  })
})

test('A file that is no HAR of this API is refused in one line', () => {
  const entry = (url: string, more = {}) => ({ request: { method: 'GET', url, ...more }, response: { status: 200 } })
  const file = (...entries: object[]) => JSON.stringify({ log: { entries } })
  const cases: readonly [string, RegExp][] = [
    ['{', /^is not JSON$/],
    ['[]', /^is no HAR file: it /],
    ['{"log":{}}', /^is no HAR file: \/log /],
    [file({ request: {}, response: {} }), /^is no HAR file: \/log\/entries\/0/],
    [
      file(entry('http://a/v1/servers'), entry('http://a/v1/x', { postData: { text: '{' } })),
      /^entry 2 has a body that is not JSON$/,
    ],
  ]
  for (const [text, message] of cases) assert.throws(() => readHar(text), { message })
})

test('Requests to anything else than this API are named, and not sent', async () => {
  const entry = (method: string, url: string) => ({ request: { method, url }, response: { status: 200 } })
  const entries = [
    entry('GET', 'https://example.com/index.html'),
    entry('OPTIONS', 'http://a/v1/servers'),
    entry('GET', 'no\u001bthing'),
  ]
  const lines: string[] = []
  const target = { endpoint: 'http://127.0.0.1:1/v1', token: '', waitMs: 0 }
  for await (const outcome of replay(readHar(JSON.stringify({ log: { entries } })), target))
    lines.push(...linesOf(outcome))
  assert.deepEqual(lines, [
    '1 GET https://example.com/index.html: not sent: it is no request to this API',
    '2 OPTIONS http://a/v1/servers: not sent: it is no request to this API',
    '3 GET no?thing: not sent: it is no request to this API',
  ])
})
