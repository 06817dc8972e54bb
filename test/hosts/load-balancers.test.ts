/** Load Balancers on hosts carry traffic to private and public targets, watch these, and come back when they are lost. */
import assert from 'node:assert/strict'
import type { Json, Stage } from '../conformance/stage.ts'
import { until } from '../kit/database/bare-database.ts'
import { done } from '../kit/proof.ts'
import { selfSigned } from '../kit/samples/certificates.ts'
import { type Asked, ask } from '../load-balancers/kit/clients.ts'
import { inGuest, onHost, output } from './kit/guests.ts'
import { onLab } from './kit/place.ts'
import { makeNetwork, webServer } from './kit/web.ts'

const healthCheck = { protocol: 'http', port: 8080, interval: 3, timeout: 2, retries: 1, http: { path: '/' } }

const service = (protocol: 'http' | 'https' | 'tcp', port: number, http?: object) => ({
  protocol,
  listen_port: port,
  destination_port: 8080,
  health_check: healthCheck,
  ...(http ? { http } : {}),
})

const selector = { type: 'label_selector', label_selector: { selector: 'role=web' } }
const privately = { ...selector, use_private_ip: true }

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

/** Waits until targets have a health on port 80, by the ids of their servers. */
async function isSeen({ place }: Stage, balancer: number, wanted: Record<number, string>): Promise<void> {
  const look = async () => {
    const { load_balancer } = await done(place.api.get(`/load_balancers/${balancer}`))
    const targets: Json[] = load_balancer.targets.flatMap((target: Json) => target.targets ?? [target])
    const statusOf = ({ health_status }: Json) => health_status.find((one: Json) => one.listen_port === 80)?.status
    return targets.every((target) => statusOf(target) === wanted[target.server.id])
  }
  await until(look, `the health of targets is ${JSON.stringify(wanted)}`)
}

/** Two web servers in a network, with a balancer that reaches them there. */
async function openWeb(stage: Stage) {
  const network = await makeNetwork(stage)
  const inNetwork = { networks: [network], labels: { role: 'web' } }
  const servers = await stage.servers(
    { name: 'one', ...inNetwork, user_data: webServer('one') },
    { name: 'two', ...inNetwork, user_data: webServer('two') },
  )
  const [one, two] = servers.map(({ id }): number => id)
  const common = { name: 'web', load_balancer_type: 'lb11', location: stage.place.location, network }
  const services = [service('http', 80), service('tcp', 81)]
  const reply = await stage.post('/load_balancers', { ...common, services, targets: [privately] })
  return { one: one!, two: two!, balancer: reply.load_balancer }
}

onLab(
  'a Load Balancer carries traffic to servers, leaves out the sick, and outlives its host',
  async (stage, place) => {
    const { lab, api, look } = place
    const { one, two, balancer } = await openWeb(stage)
    const path = `/load_balancers/${balancer.id}`
    const { ipv4, ipv6 } = balancer.public_net
    await answer(['one', 'two'], ipv4.ip, 80)
    await answer(['one', 'two'], ipv4.ip, 81)
    await answer(['one', 'two'], ipv6.ip, 80)
    await isSeen(stage, balancer.id, { [one]: 'healthy', [two]: 'healthy' })

    const upload = { name: 'web', type: 'uploaded', ...selfSigned('web.example') }
    const { certificate } = await stage.post('/certificates', upload)
    await stage.post(`${path}/actions/add_service`, service('https', 443, { certificates: [certificate.id] }))
    await answer(['one', 'two'], ipv4.ip, 443, { name: 'web.example' })
    const inside = ['incus', 'exec', `lb-${balancer.id}`, '--', 'sh', '-c']
    const modes = await onHost(lab.members[0]!, ...inside, 'stat -c %a:%U /var/lib/wolke-balancer/tls/*.pem')
    assert.equal(modes.trim(), '600:root')

    await output(inGuest(lab, one, ['systemctl', 'stop', 'web']))
    await isSeen(stage, balancer.id, { [one]: 'unhealthy', [two]: 'healthy' })
    await answer(['two'], ipv4.ip, 80)

    const publicly = { type: 'server', server: { id: two }, use_private_ip: false }
    await stage.post(`${path}/actions/remove_target`, selector)
    await stage.post(`${path}/actions/add_target`, publicly)
    await answer(['two'], ipv4.ip, 80)
    const traffic = async () => (await done(api.get(path))).load_balancer.outgoing_traffic
    await until(async () => (await traffic()) > 0, 'traffic is counted')

    await onHost(lab.members[0]!, 'incus', 'delete', '--force', `lb-${balancer.id}`)
    // Whoever looks at it finds that it is lost.
    await done(api.get(path))
    await answer(['two'], ipv4.ip, 443, { name: 'web.example' })

    await stage.delete(path)
    const isLeft = async () => (await look.leftovers()).some((name) => name.startsWith('instance lb-'))
    await until(async () => !(await isLeft()), 'nothing is left of it')
  },
)
