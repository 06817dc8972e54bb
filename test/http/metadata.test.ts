import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import type { MetadataDriver } from '../../src/metadata/driver.ts'
import { forDatabasesInTurn, testClock, type World } from '../kit/harness.ts'
import { metadataPaths } from '../walks/spec/endpoints.ts'

async function makeServer({ api, settle }: World, more: object = {}) {
  const { body, text } = await api.post('/servers', {
    name: 'my-server',
    server_type: 'cpx22',
    image: 'debian-13',
    location: 'fsn1',
    user_data: '#cloud-config\nhostname: ü\n',
    ...more,
  })
  assert.ok(body.server, text)
  await settle()
  return body.server
}

/** Starts the metadata service of a world; returns its URL. Servers are below `/servers/{id}`. */
const serveMetadata = ({ app }: World) => app.serveMetadata({ host: '127.0.0.1', port: 0 }, '/hetzner')

/** A request with headers of one's own choosing, Host among them. No answer may be kept, or taken for anything but text. */
async function call(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, options, resolve).on('error', reject).end()
  })
  const { headers, statusCode: status = 0 } = response
  assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff'], url)
  return { status, text: await textOf(response), type: headers['content-type'] }
}

forDatabasesInTurn('The metadata service', (open) => {
  test('answers all paths of the spec byte for byte, with and without its prefix', async () => {
    const world = await open()
    const server = await makeServer(world)
    const url = await serveMetadata(world)
    const ip = server.public_net.ipv4.ip
    const documents: Record<string, string> = {
      '/v1/metadata': `hostname: my-server\ninstance-id: ${server.id}\npublic-ipv4: ${ip}\navailability-zone: fsn1-dc14\nregion: eu-central\n`,
      '/v1/metadata/hostname': 'my-server',
      '/v1/metadata/instance-id': String(server.id),
      '/v1/metadata/public-ipv4': ip,
      '/v1/metadata/private-networks': '[]',
      '/v1/metadata/availability-zone': 'fsn1-dc14',
      '/v1/metadata/region': 'eu-central',
      '/v1/userdata': '#cloud-config\nhostname: ü\n',
    }
    for (const path of metadataPaths) assert.ok(Object.hasOwn(documents, `/v1/metadata${path}`), path)
    for (const [path, text] of Object.entries(documents)) {
      for (const prefix of ['', '/hetzner']) {
        const answer = await call(`${url}/servers/${server.id}${prefix}${path}`)
        assert.deepEqual(answer, { status: 200, text, type: 'text/plain; charset=utf-8' }, prefix + path)
      }
    }
  })

  test('lists the private networks of the server as clients look for them', async () => {
    const world = await open()
    const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.0.0/24' }]
    const { network } = (await world.api.post('/networks', { name: 'backend', ip_range: '10.0.0.0/16', subnets })).body
    const odd = {
      name: 'yes: no #',
      ip_range: '192.168.0.0/16',
      subnets: [{ ...subnets[0], ip_range: '192.168.7.0/24' }],
    }
    const { network: second } = (await world.api.post('/networks', odd)).body
    const server = await makeServer(world, { networks: [network.id, second.id] })
    const aliases = { network: network.id, alias_ips: ['10.0.0.3', '10.0.0.4'] }
    await world.api.post(`/servers/${server.id}/actions/change_alias_ips`, aliases)
    await world.settle()
    const { text } = await call(`${await serveMetadata(world)}/servers/${server.id}/v1/metadata/private-networks`)
    const lines = [
      '- ip: 10.0.0.2',
      '  alias_ips: [10.0.0.3, 10.0.0.4]',
      '  interface_num: 1',
      '  mac_address: 86:00:0a:00:00:02',
      `  network_id: ${network.id}`,
      '  network_name: backend',
      '  network: 10.0.0.0/16',
      '  subnet: 10.0.0.0/24',
      '  gateway: 10.0.0.1',
      '- ip: 192.168.7.1',
      '  alias_ips: []',
      '  interface_num: 2',
      '  mac_address: 86:00:c0:a8:07:01',
      `  network_id: ${second.id}`,
      '  network_name: "yes: no #"',
      '  network: 192.168.0.0/16',
      '  subnet: 192.168.7.0/24',
      '  gateway: 192.168.0.1',
    ]
    assert.equal(text, `${lines.join('\n')}\n`)
  })

  test('what there is none of is 204 without a body: a public IPv4 address, user data', async () => {
    const world = await open()
    const server = await makeServer(world, { public_net: { enable_ipv4: false }, user_data: undefined })
    const url = `${await serveMetadata(world)}/servers/${server.id}/v1`
    for (const path of ['metadata/public-ipv4', 'userdata']) {
      const { status, text } = await call(`${url}/${path}`)
      assert.deepEqual([status, text], [204, ''], path)
    }
  })

  test('the summary quotes a name that YAML takes for something else', async () => {
    const world = await open()
    const url = await serveMetadata(world)
    for (const [name, text] of [
      ['007', '"007"'],
      ['yes', '"yes"'],
      ['null', '"null"'],
      ['0x1f', '"0x1f"'],
      ['1e3', '"1e3"'],
      ['web.example.com', 'web.example.com'],
    ] as const) {
      const { id } = await makeServer(world, { name })
      const { text: summary } = await call(`${url}/servers/${id}/v1/metadata`)
      assert.equal(summary.split('\n')[0], `hostname: ${text}`)
    }
  })

  test('what does not exist is 404 in plain text, and only GET is answered', async () => {
    const world = await open()
    const server = await makeServer(world)
    const url = await serveMetadata(world)
    const missing = [
      '/v1/metadata/nothing',
      '/v1',
      '/latest/meta-data/hostname',
      '/2009-04-04/user-data',
      '/v1/metadata/toString',
    ]
    for (const path of [
      ...missing.map((path) => `/servers/${server.id}${path}`),
      '/v1/metadata',
      '/servers/1/v1/metadata',
    ]) {
      assert.deepEqual(
        await call(url + path),
        { status: 404, text: 'not found', type: 'text/plain; charset=utf-8' },
        path,
      )
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      assert.equal((await call(`${url}/servers/${server.id}/v1/metadata`, { method })).status, 405)
    }
  })

  test('until August 2026 the EC2-compatible routes answer too', async () => {
    const world = await open({ clock: testClock('2026-04-15T00:00:00Z') })
    const server = await makeServer(world)
    const url = `${await serveMetadata(world)}/servers/${server.id}`
    assert.equal((await call(`${url}/latest/meta-data/instance-id`)).text, String(server.id))
    assert.equal((await call(`${url}/2009-04-04/meta-data/hostname`)).text, 'my-server')
    assert.equal((await call(`${url}/latest/user-data`)).text, '#cloud-config\nhostname: ü\n')
    world.clock.set('2026-08-01T00:00:00Z')
    assert.equal((await call(`${url}/latest/meta-data/instance-id`)).status, 404)
  })

  test('a forwarded request, and one for another host, is refused', async () => {
    const world = await open()
    const server = await makeServer(world)
    const url = `${await serveMetadata(world)}/servers/${server.id}/v1/metadata`
    for (const name of ['X-Forwarded-For', 'Forwarded', 'Via']) {
      assert.equal((await call(url, { headers: { [name]: '10.0.0.1' } })).status, 403, name)
    }
    for (const Host of ['evil.example', 'localhost', '169.254.169.254']) {
      assert.equal((await call(url, { headers: { Host } })).status, 403, Host)
    }
  })

  test('a server that calls a translated address names that one, and no other server answers for it', async () => {
    const hosts: { server: number; locations: ReadonlySet<number> } = { server: 0, locations: new Set([1]) }
    const metadata: MetadataDriver = {
      identify: ({ path }) => ({
        serverId: hosts.server,
        path,
        calledAt: '169.254.169.254',
        locations: hosts.locations,
      }),
    }
    const world = await open({ drivers: { metadata } })
    hosts.server = (await makeServer(world)).id
    const url = `${await serveMetadata(world)}/v1/metadata/hostname`
    for (const Host of ['169.254.169.254', '169.254.169.254:80']) {
      assert.deepEqual((await call(url, { headers: { Host } })).text, 'my-server')
    }
    assert.equal((await call(url)).status, 403)
    hosts.locations = new Set([2])
    assert.equal((await call(url, { headers: { Host: '169.254.169.254' } })).status, 404)
  })

  test('a server that asks too often waits, and no other one does', async () => {
    const world = await open()
    const [greedy, other] = [await makeServer(world), await makeServer(world, { name: 'other' })]
    const url = await serveMetadata(world)
    const statusOf = async (id: number) => (await call(`${url}/servers/${id}/v1/metadata/hostname`)).status
    const statuses = await Promise.all(Array.from({ length: 400 }, () => statusOf(greedy.id)))
    assert.ok(statuses.filter((status) => status === 200).length >= 200)
    assert.ok(statuses.includes(429))
    assert.equal(await statusOf(other.id), 200)
  })
})
