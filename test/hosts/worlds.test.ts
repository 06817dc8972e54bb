/** One process of Wolke serves a simulated location beside one that is on hosts. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtIn } from '../../src/catalogue/built-in.ts'
import { until } from '../kit/database/bare-database.ts'
import { type Client, makeClient } from '../kit/harness.ts'
import { done } from '../kit/proof.ts'
import { expect } from '../kit/resources.ts'
import { program, token } from '../program/kit/program.ts'
import { theLab } from './kit/cluster.ts'
import { inGuest, run } from './kit/guests.ts'
import { inLab } from './kit/place.ts'
import { prepare } from './kit/process.ts'

const onHosts = 'hel1'
const simulated = 'fsn1'

/** The files that name a lab to Wolke as one of its clusters, and the locations of both worlds. */
function filesIn(folder: string) {
  const { incus, ovn, names } = theLab()
  const cluster = {
    name: 'rack1',
    incus: incus.urls,
    incus_cert: incus.clientCertificate,
    incus_key: incus.clientKey,
    incus_server_cert: incus.serverCertificate,
    ovn: [ovn.northbound],
    ovn_cert: ovn.certificate,
    ovn_key: ovn.key,
    ovn_ca: ovn.authority,
    uplink: names.uplink,
    network: names.network,
    pool: names.pool,
    instance_type: 'container',
    name_servers: [],
    overcommit: 16,
  }
  const locations = builtIn.locations.map((one) => (one.name === onHosts ? { ...one, infrastructure: 'rack1' } : one))
  const files = { clusters: { clusters: [cluster] }, catalogue: { ...builtIn, locations } }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(content))
  }
  return { clusters: join(folder, 'clusters.json'), catalogue: join(folder, 'catalogue.json') }
}

/** Waits until no action runs, and says which failed. */
async function settled(api: Client, path: string): Promise<void> {
  const actions = async (status: string) => (await done(api.get(`${path}/actions?status=${status}`))).actions
  await until(async () => (await actions('running')).length === 0, `the actions of ${path} have ended`)
  assert.deepEqual(await actions('error'), [])
}

/** What a server reads at the address of the metadata service, with the status before it. */
async function readByGuest(server: number, path: string): Promise<string> {
  const script = `import urllib.request, urllib.error
try:
  answer = urllib.request.urlopen('http://169.254.169.254${path}', timeout=5)
except urllib.error.HTTPError as error:
  answer = error
print(answer.status, answer.read().decode())`
  const { stdout, stderr } = await run(inGuest(theLab(), server, ['python3', '-c', script]))
  return stdout === '' ? stderr : stdout.trim()
}

test('a simulated location and one on hosts are served side by side, each with what it can do', inLab, async () => {
  const { metadata, pools } = theLab()
  const { folder, serve } = program('worlds')
  const database = join(folder, 'wolke.db')
  await prepare(database)
  const files = filesIn(folder)
  const served = await serve(
    ...([`sqlite:${database}`, '--infrastructure-file', files.clusters, '--catalogue', files.catalogue] as const),
    ...['--metadata-listen', `${metadata.host}:${metadata.port}`, '--load-balancers', 'simulated'],
    ...['--address-pool', `${pools.ipv4.replace('.0.0/16', '.3.0')}/24,${pools.ipv6}`],
  )
  const api = makeClient(served.baseUrl, token)
  const create = async (location: string) => {
    const body = { name: `in-${location}`, server_type: 'cpx22', image: 'debian-12', location }
    return (await done(api.post('/servers', body))).server
  }
  const [real, test] = [await create(onHosts), await create(simulated)]
  await settled(api, '/servers')
  assert.deepEqual(
    (await done(api.get('/servers'))).servers.map(({ status }: { status: string }) => status),
    ['running', 'running'],
  )

  // What each can do.
  const rescue = (id: number) => api.post(`/servers/${id}/actions/enable_rescue`, {})
  expect(await rescue(real.id), 422, 'unsupported_error')
  expect(await rescue(test.id), 201)
  const told = await done(
    api.get(`${served.baseUrl.replace(/v1$/, 'wolke/v1')}/locations/${real.location.id}/capabilities`),
  )
  assert.deepEqual([told.capabilities.rescue, told.capabilities.console], [false, true])

  // Each server reads of itself alone.
  const hostname = '/hetzner/v1/metadata/hostname'
  await until(async () => (await readByGuest(real.id, hostname)) === `200 ${real.name}`, 'the server reads its name')
  assert.match(await readByGuest(real.id, `/servers/${test.id}${hostname}`), /^404 /)
  const here = (id: number) => fetch(`http://${metadata.host}:${metadata.port}/servers/${id}${hostname}`)
  assert.equal(await (await here(test.id)).text(), test.name)
  assert.equal((await here(real.id)).status, 404)

  // A question about both is answered, without a packet.
  const question = `from=server:${test.id}&to=server:${real.id}&protocol=icmp`
  const { reachability } = await done(api.get(`${served.baseUrl.replace(/v1$/, 'wolke/v1')}/reachability?${question}`))
  assert.equal(reachability.reachable, true)

  for (const { id } of [real, test]) await done(api.delete(`/servers/${id}`))
  await until(async () => (await done(api.get('/servers'))).servers.length === 0, 'both servers are gone')
  await served.stop()
})
