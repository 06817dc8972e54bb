/**
 * The unmodified controllers of the cloud serve a cluster of Kubernetes on hosts: nodes get what the cloud knows of them,
 * routes between their pods, and Load Balancers, and nodes without a server go. It runs where `WOLKE_KUBERNETES` names a
 * folder with the programs.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../bare-database.ts'
import { ipv4Of, type Json, Stage } from '../../conformance/stage.ts'
import { clear } from '../../conformance/suite.ts'
import { ask } from '../../load-balancers/clients.ts'
import { done } from '../../proof.ts'
import { theLab } from '../cluster.ts'
import { Kubernetes, podRange, programs } from '../kubernetes.ts'
import { inLab } from '../place.ts'
import { openProcess, type ProcessPlace } from '../process.ts'
import { webServer } from '../web.ts'

const nodePort = 30_080
const nodes = '/api/v1/nodes'
const services = '/api/v1/namespaces/default/services'
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized'

const condition = (status: 'True' | 'Unknown') => ({ status: { conditions: [{ type: 'Ready', status }] } })

/** What the agent on a server says of its node when it starts. */
const nodeOf = ({ name }: Json, podCIDR: string) => ({
  metadata: { name },
  spec: { podCIDR, podCIDRs: [podCIDR], taints: [{ key: uninitialized, value: 'true', effect: 'NoSchedule' }] },
  ...condition('True'),
})

const service = (network: Json) => ({
  metadata: { name: 'web', annotations: { 'load-balancer.hetzner.cloud/name': 'web' } },
  spec: { type: 'LoadBalancer', selector: { network: network.name }, ports: [{ port: 80, nodePort }] },
})

/** A network for servers and pods, and two servers in it that stand for nodes whose pods serve the web. */
async function openServers(stage: Stage) {
  const subnets = [{ type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }]
  const { network } = await stage.post('/networks', { name: 'nodes', ip_range: '10.0.0.0/8', subnets })
  const common = { networks: [network.id], ...(await stage.apart()) }
  const servers = await stage.servers(
    { name: 'one', ...common, user_data: webServer('one', nodePort) },
    { name: 'two', ...common, user_data: webServer('two', nodePort) },
  )
  return { network, servers }
}

/** The cloud has told of a server all that belongs to its node. */
async function isInitialized(kubernetes: Kubernetes, server: Json): Promise<void> {
  const path = `${nodes}/${server.name}`
  const isDone = async () => {
    const { spec, status } = await kubernetes.get(path)
    const isReachable = status.conditions.some(
      ({ type, status }: Json) => type === 'NetworkUnavailable' && status === 'False',
    )
    return isReachable && !spec.taints?.some(({ key }: Json) => key === uninitialized)
  }
  await until(isDone, `${server.name} is a node of the cloud`)
  const { metadata, spec, status } = await kubernetes.get(path)
  assert.equal(spec.providerID, `hcloud://${server.id}`)
  const { labels } = metadata
  assert.equal(labels['topology.kubernetes.io/region'], server.location.name)
  assert.ok(labels['topology.kubernetes.io/zone'].startsWith(`${server.location.name}-dc`))
  assert.equal(labels['node.kubernetes.io/instance-type'], server.server_type.name)
  assert.deepEqual(status.addresses, [
    { type: 'Hostname', address: server.name },
    { type: 'ExternalIP', address: ipv4Of(server) },
    { type: 'InternalIP', address: server.private_net[0].ip },
  ])
}

/** Waits until these and no others answer at an address. */
async function answer(host: string, wanted: readonly string[]): Promise<void> {
  const bodyOf = () =>
    ask({ host, port: 80 }).then(
      ({ status, body }) => (status === 200 ? body : `status ${status}`),
      (error: Error) => error.message,
    )
  const isAsWanted = async () => {
    const bodies = await Promise.all(Array.from({ length: 4 }, bodyOf))
    return [...new Set(bodies)].sort().join() === wanted.join()
  }
  await until(isAsWanted, `${wanted.join(' and ')} answer through the Load Balancer`)
}

/** Holds what a cluster promises that has the controllers of the cloud. */
async function hold(kubernetes: Kubernetes, place: ProcessPlace): Promise<void> {
  const { api, look, location } = place
  const stage = new Stage(place)
  const { network, servers } = await openServers(stage)
  const [one, two] = servers
  const routes = async (): Promise<Json[]> => (await done(api.get(`/networks/${network.id}`))).network.routes
  const pods = ['10.244.0.0/24', '10.244.1.0/24']
  for (const [index, server] of servers.entries()) await kubernetes.post(nodes, nodeOf(server, pods[index]!))
  kubernetes.control(network.name, location)
  for (const server of servers) await isInitialized(kubernetes, server)

  const gateways = servers.map(({ private_net }) => private_net[0].ip)
  const wanted = pods.map((destination, index) => ({ destination, gateway: gateways[index] }))
  assert.deepEqual(
    (await routes()).toSorted((a, b) => a.destination.localeCompare(b.destination)),
    wanted,
  )
  for (const [index, { id, private_net }] of servers.entries()) {
    const within = { mac: private_net[0].mac_address, gateway: '10.0.0.1', ranges: [podRange] }
    await look.configure(id, { address: gateways[index], within })
    await look.configure(id, { address: `10.244.${index}.1` })
  }
  await stage.arrive(
    { from: one.id, to: '10.244.1.1', protocol: 'icmp' },
    { from: two.id, to: '10.244.0.1', protocol: 'tcp', port: nodePort },
  )

  await kubernetes.post(services, service(network))
  const ingress = async () => (await kubernetes.get(`${services}/web`)).status.loadBalancer.ingress?.[0]
  await until(async () => (await ingress()) !== undefined, 'the service has an address')
  const [balancer] = (await done(api.get('/load_balancers?name=web'))).load_balancers
  assert.equal((await ingress()).ip, balancer.public_net.ipv4.ip)
  await answer(balancer.public_net.ipv4.ip, ['one', 'two'])

  await stage.delete(`/servers/${two.id}`)
  await kubernetes.patch(`${nodes}/two/status`, condition('Unknown'))
  await until(async () => !(await kubernetes.has(`${nodes}/two`)), 'the node without a server is gone')
  await until(async () => (await routes()).length === 1, 'so is its route')
  await answer(balancer.public_net.ipv4.ip, ['one'])

  await kubernetes.delete(`${services}/web`)
  await until(async () => !(await kubernetes.has(`${services}/web`)), 'the service is gone')
  assert.deepEqual((await done(api.get('/load_balancers'))).load_balancers, [])
}

const options = programs === undefined ? { skip: 'WOLKE_KUBERNETES names no folder with its programs' } : inLab

test('nodes, routes and services of Kubernetes are those of the cloud', options, async () => {
  const lab = theLab()
  const place = await openProcess(lab)
  const folder = join(place.folder, 'kubernetes')
  mkdirSync(folder)
  try {
    await using kubernetes = await Kubernetes.open(lab, folder)
    await hold(kubernetes, place)
  } finally {
    await clear(place)
  }
  await until(async () => (await place.look.leftovers()).length === 0, 'nothing is left of it')
})
