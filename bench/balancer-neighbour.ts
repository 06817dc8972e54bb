/** Measures the API while a Load Balancer of the same installation carries traffic. */
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call, idsOf, untilSettled } from './client.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { type Effort, inTurns } from './rounds.ts'

const pool = '127.45.0.0/16'
const listenPort = 18_080
const visitsPerSecond = 500
/** The promised share of the requests without a balancer. */
const promised = 0.9

/** One client reads a server by its id, without other traffic and beside 500 balanced requests a second. */
export async function balancerNeighbour(workshop: Workshop, { rounds, seconds }: Effort): Promise<Row[]> {
  const more = ['--address-pool', `${pool},2001:db8::/32`, '--load-balancers', 'embedded']
  const wolke = await workshop.serve('memory', { more })
  const load = workshop.generator()
  const { serverUrl, visited } = await makeBalanced(workshop, wolke.url)
  const read = async () => (await load({ url: serverUrl, method: 'GET', connections: 1, seconds })).requestsPerSecond
  await read()
  let visits = 0
  const compared = await inTurns(rounds, {
    bare: read,
    async wolke() {
      const crowd = visit(visited)
      const result = await read()
      visits += await crowd.leave()
      return result
    },
  })
  const note = `bare: without; ${Math.round(visits / rounds / seconds)} balanced requests a second`
  const bar = { text: `>= ${promised} of without`, met: compared.ratio >= promised }
  return [{ name: 'GET by id, one client, beside a balancer', unit: 'req/s', ...compared, note, bar }]
}

/** A server whose address answers, behind a balancer: the address of the server in the API, and that of the balancer. */
async function makeBalanced(workshop: Workshop, url: string): Promise<{ serverUrl: string; visited: string }> {
  const asked = { name: 'bench', server_type: 'cpx22', image: 'debian-12' }
  const { server, action, next_actions } = (await call('POST', `${url}${publicBase}/servers`, asked)).body
  const target = createServer((_, answer) => answer.end('ok')).listen(0, server.public_net.ipv4.ip)
  workshop.keep(async () => void target.close())
  await untilSettled(url, idsOf([action, ...next_actions]))
  const { port } = target.address() as AddressInfo
  const created = await call('POST', `${url}${publicBase}/load_balancers`, {
    name: 'bench',
    load_balancer_type: 'lb11',
    location: 'fsn1',
    services: [{ protocol: 'http', listen_port: listenPort, destination_port: port }],
    targets: [{ type: 'server', server: { id: server.id } }],
  })
  await untilSettled(url, idsOf([created.body.action]))
  const { ip } = created.body.load_balancer.public_net.ipv4
  return { serverUrl: `${url}${publicBase}/servers/${server.id}`, visited: `http://${ip}:${listenPort}/` }
}

/** Visits an address at a steady pace until `leave`, which says how many visits there were. */
function visit(url: string): { leave(): Promise<number> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  let isLeaving = false
  let visits = 0
  const begin = performance.now()
  const one = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent }, (answer) => answer.resume().once('end', resolve)).once('error', reject)
    })
  const walk = async () => {
    while (!isLeaving) {
      const due = ((performance.now() - begin) / 1_000) * visitsPerSecond
      const some = Array.from({ length: Math.max(0, Math.floor(due) - visits) }, one)
      visits += some.length
      await Promise.all([...some, delay(10)])
    }
    agent.destroy()
    return visits
  }
  const walking = walk()
  return {
    leave() {
      isLeaving = true
      return walking
    },
  }
}
