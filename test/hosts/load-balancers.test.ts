/** Load Balancers on hosts carry traffic to private and public targets, watch these, and come back when they are lost. */
import assert from 'node:assert/strict'
import { until } from '../bare-database.ts'
import { selfSigned } from '../certificates.ts'
import type { Json, Stage } from '../conformance/stage.ts'
import { type Asked, ask } from '../load-balancers/clients.ts'
import { done } from '../proof.ts'
import { inGuest, onHost, output } from './guests.ts'
import { onLab } from './place.ts'
import { makeNetwork, webServer } from './web.ts'

const healthCheck = { protocol: 'http', port: 8080, interval: 3, timeout: 2, retries: 1, http: { path: '/' } }

const service = (protocol: 'http' | 'https' | 'tcp', port: number, http?: object) => ({
  protocol,
  listen_port: port,
  destination_port: 8080,
  health_check: healthCheck,
  ...(http ? { http } : {}),
})

const selector = { type: 'label_selector', label_selector: { selector: 'role=web' } }

async function openBalancer(stage: Stage, body: object): Promise<Json> {
  const common = { name: 'web', load_balancer_type: 'lb11', location: stage.place.location }
  return (await stage.post('/load_balancers', { ...common, ...body })).load_balancer
}

/** What a balancer says, or why it says nothing. */
async function bodyOf(host: string, port: number, asked?: Asked): Promise<string> {
  try {
    const { status, body } = await ask({ host, port }, asked)
    return status === 200 ? body.trim() : `status ${status}`
  } catch (error) {
    return (error as Error).message
  }
}

/** Waits until these and no others answer through a balancer. */
async function answer(names: readonly string[], host: string, port: number, asked?: Asked): Promise<void> {
  let said: string[] = []
  const isAsWanted = async () => {
    const bodies = await Promise.all(Array.from({ length: 4 }, () => bodyOf(host, port, asked)))
    said = [...new Set(bodies)].sort()
    return said.join() === names.join()
  }
  try {
    await until(isAsWanted)
  } catch {
    assert.deepEqual(said, names, `who answers at ${host}:${port}`)
  }
}

/** Waits until targets have a health on a port, by the ids of their servers. */
async function isSeen({ place }: Stage, balancer: number, port: number, wanted: Record<number, string>): Promise<void> {
  const look = async () => {
    const { load_balancer } = await done(place.api.get(`/load_balancers/${balancer}`))
    const targets: Json[] = load_balancer.targets.flatMap((target: Json) => target.targets ?? [target])
    const statusOf = ({ health_status }: Json) => health_status.find((one: Json) => one.listen_port === port)?.status
    return targets.every((target) => statusOf(target) === wanted[target.server.id])
  }
  await until(look, `the health of targets is ${JSON.stringify(wanted)}`)
}

onLab(
  'a Load Balancer carries HTTP, HTTPS and TCP to servers in its network, and leaves out the sick',
  async (stage, { lab }) => {
    const network = await makeNetwork(stage)
    const inNetwork = { networks: [network], labels: { role: 'web' } }
    const servers = await stage.servers(
      { name: 'one', ...inNetwork, user_data: webServer('one') },
      { name: 'two', ...inNetwork, user_data: webServer('two') },
    )
    const [one, two] = servers.map(({ id }): number => id)
    const balancer = await openBalancer(stage, {
      network,
      services: [service('http', 80), service('tcp', 81)],
      targets: [{ ...selector, use_private_ip: true }],
    })
    const { ipv4, ipv6 } = balancer.public_net
    await answer(['one', 'two'], ipv4.ip, 80)
    await answer(['one', 'two'], ipv4.ip, 81)
    await answer(['one', 'two'], ipv6.ip, 80)
    await isSeen(stage, balancer.id, 80, { [one!]: 'healthy', [two!]: 'healthy' })

    const { certificate } = await stage.post('/certificates', {
      name: 'web',
      type: 'uploaded',
      ...selfSigned('web.example'),
    })
    const https = service('https', 443, { certificates: [certificate.id] })
    await stage.post(`/load_balancers/${balancer.id}/actions/add_service`, https)
    await answer(['one', 'two'], ipv4.ip, 443, { name: 'web.example' })

    await output(inGuest(lab, one!, ['systemctl', 'stop', 'web']))
    await isSeen(stage, balancer.id, 80, { [one!]: 'unhealthy', [two!]: 'healthy' })
    await answer(['two'], ipv4.ip, 80)

    await stage.delete(`/load_balancers/${balancer.id}`)
    await stage.delete(`/certificates/${certificate.id}`)
  },
)

onLab(
  'a Load Balancer reaches servers at their public addresses, and is made again when its host lost it',
  async (stage, { lab, api, look }) => {
    const [server] = await stage.servers({ name: 'one', user_data: webServer('one') })
    const target = { type: 'server', server: { id: server.id }, use_private_ip: false }
    const balancer = await openBalancer(stage, { services: [service('http', 80)], targets: [target] })
    const { ip } = balancer.public_net.ipv4
    await answer(['one'], ip, 80)

    await onHost(lab.members[0]!, 'incus', 'delete', '--force', `lb-${balancer.id}`)
    // Whoever looks at it finds that it is lost.
    await done(api.get(`/load_balancers/${balancer.id}`))
    await answer(['one'], ip, 80)
    await stage.delete(`/load_balancers/${balancer.id}`)
    const left = await look.leftovers()
    assert.deepEqual(
      left.filter((name) => name.startsWith('instance lb-')),
      [],
    )
  },
)
