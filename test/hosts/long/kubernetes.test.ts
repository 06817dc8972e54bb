/**
 * Servers on hosts are nodes of Kubernetes, and its unmodified cloud controllers serve them: nodes get what the cloud knows
 * of them, routes between their pods, and Load Balancers, and nodes without a server go. It runs where `WOLKE_KUBERNETES`
 * names a folder with the programs.
 */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Lab } from '../../../lab/lab.ts'
import { untilNothingIsLeft } from '../../conformance/place.ts'
import { ipv4Of, type Json, Stage } from '../../conformance/stage.ts'
import { clear } from '../../conformance/suite.ts'
import { until } from '../../kit/database/bare-database.ts'
import { done } from '../../kit/proof.ts'
import { ask } from '../../load-balancers/kit/clients.ts'
import { theLab } from '../kit/cluster.ts'
import { inGuest, output } from '../kit/guests.ts'
import { Kubernetes, programs } from '../kit/kubernetes.ts'
import { podImage, startAgents } from '../kit/kubernetes-agent.ts'
import { inLab } from '../kit/place.ts'
import { openProcess, type ProcessPlace } from '../kit/process.ts'

const nodePort = 30_080
const nodes = '/api/v1/nodes'
const pods = '/api/v1/namespaces/default/pods'
const services = '/api/v1/namespaces/default/services'
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized'

/** The ranges of pods, of one node each. */
const ranges = ['10.244.0.0/24', '10.244.1.0/24'] as const

/** A pod on a node that says the node's name on a port: one of its own address, or one of the node itself. */
const podOn = (nodeName: string, port: number, hostNetwork: boolean) => ({
  metadata: { name: `${hostNetwork ? 'web' : 'pod'}-${nodeName}`, labels: { app: hostNetwork ? 'web' : 'pod' } },
  spec: {
    nodeName,
    hostNetwork,
    automountServiceAccountToken: false,
    tolerations: [{ operator: 'Exists' }],
    containers: [
      {
        name: 'web',
        image: podImage,
        imagePullPolicy: 'Never',
        command: ['sh', '-c', `printf ${nodeName} >/index.html && exec httpd -f -p ${port} -h /`],
      },
    ],
  },
})

const service = {
  metadata: { name: 'web', annotations: { 'load-balancer.hetzner.cloud/name': 'web' } },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80, nodePort }] },
}

/** A network for servers and pods, and two servers in it. */
async function openServers(stage: Stage) {
  const subnets = [{ type: 'cloud', ip_range: '10.0.0.0/24', network_zone: 'eu-central' }]
  const { network } = await stage.post('/networks', { name: 'nodes', ip_range: '10.0.0.0/8', subnets })
  const common = { networks: [network.id], ...(await stage.apart()) }
  return { network, servers: await stage.servers({ name: 'one', ...common }, { name: 'two', ...common }) }
}

/** Starts an agent on each server, and gives pods their addresses, which a controller of Kubernetes would do. */
async function openNodes(lab: Lab, kubernetes: Kubernetes, servers: readonly Json[]): Promise<void> {
  await startAgents(lab, kubernetes, servers, ranges)
  for (const [index, { name }] of servers.entries()) {
    await until(() => kubernetes.has(`${nodes}/${name}`), `${name} is a node`)
    const podCIDR = ranges[index]!
    await kubernetes.patch(`${nodes}/${name}`, { spec: { podCIDR, podCIDRs: [podCIDR] } })
  }
}

/** The address of a pod that runs. */
async function runs(kubernetes: Kubernetes, name: string): Promise<string> {
  const statusOf = async () => (await kubernetes.get(`${pods}/${name}`)).status
  await until(async () => (await statusOf()).phase === 'Running', `${name} runs`)
  return (await statusOf()).podIP
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
async function hold(lab: Lab, kubernetes: Kubernetes, place: ProcessPlace): Promise<void> {
  const { api, location } = place
  const stage = new Stage(place)
  const { network, servers } = await openServers(stage)
  const [one, two] = servers
  const routes = async (): Promise<Json[]> => (await done(api.get(`/networks/${network.id}`))).network.routes
  await openNodes(lab, kubernetes, servers)
  kubernetes.control(network.name, location)
  for (const server of servers) await isInitialized(kubernetes, server)

  const wanted = servers.map(({ private_net }, index) => ({ destination: ranges[index], gateway: private_net[0].ip }))
  assert.deepEqual(
    (await routes()).toSorted((a, b) => a.destination.localeCompare(b.destination)),
    wanted,
  )
  for (const { name } of servers) {
    await kubernetes.post(pods, podOn(name, nodePort, true))
    await kubernetes.post(pods, podOn(name, 80, false))
  }
  const [, there] = await Promise.all(servers.map(({ name }) => runs(kubernetes, `pod-${name}`)))
  const fromPod = `nsenter --net="$(echo /run/netns/cni-*)" ping -q -c 1 -W 3 ${there}`
  await output(inGuest(lab, one.id, ['sh', '-c', fromPod]))

  await kubernetes.post(services, service)
  const ingress = async () => (await kubernetes.get(`${services}/web`)).status.loadBalancer.ingress?.[0]
  await until(async () => (await ingress()) !== undefined, 'the service has an address')
  const [balancer] = (await done(api.get('/load_balancers?name=web'))).load_balancers
  assert.equal((await ingress()).ip, balancer.public_net.ipv4.ip)
  await answer(balancer.public_net.ipv4.ip, ['one', 'two'])

  await stage.delete(`/servers/${two.id}`)
  // A controller of Kubernetes would miss the agent.
  const conditions = [{ type: 'Ready', status: 'Unknown' }]
  await kubernetes.patch(`${nodes}/two/status`, { status: { conditions } })
  await until(async () => !(await kubernetes.has(`${nodes}/two`)), 'the node without a server is gone')
  await until(async () => (await routes()).length === 1, 'so is its route')
  await answer(balancer.public_net.ipv4.ip, ['one'])

  await kubernetes.delete(`${services}/web`)
  await until(async () => !(await kubernetes.has(`${services}/web`)), 'the service is gone')
  assert.deepEqual((await done(api.get('/load_balancers'))).load_balancers, [])
}

const options = programs === undefined ? { skip: 'WOLKE_KUBERNETES names no folder with its programs' } : inLab

test('servers are nodes of Kubernetes, whose cloud controllers work unchanged', options, async () => {
  const lab = theLab()
  const place = await openProcess(lab)
  const folder = join(place.folder, 'kubernetes')
  mkdirSync(folder)
  try {
    await using kubernetes = await Kubernetes.open(lab, folder)
    await hold(lab, kubernetes, place)
  } finally {
    await clear(place)
  }
  await untilNothingIsLeft(place)
})
