import type { Answer, Client, World } from '../../../../test/kit/harness.ts'
import { done, rename, type Samples, unique } from '../../../../test/kit/proof.ts'
import { selfSigned } from '../../../../test/kit/samples/certificates.ts'
import { cloudSubnet, makeNetwork } from '../../networks/proof.ts'

/** The body of a request for a Load Balancer. */
export const balancerBody = (more: object = {}) => {
  return { name: unique('balancer'), load_balancer_type: 'lb11', location: 'fsn1', ...more }
}

export const toServer = (id: number, usesPrivateIp = false) => {
  return { type: 'server', server: { id }, use_private_ip: usesPrivateIp }
}
export const toSelector = (selector: string, usesPrivateIp = false) => {
  return { type: 'label_selector', label_selector: { selector }, use_private_ip: usesPrivateIp }
}
export const toIp = (ip: string) => ({ type: 'ip', ip: { ip } })

export const tcp = (listen_port: number) => ({ protocol: 'tcp', listen_port, destination_port: 80 })

/** Creates a Load Balancer and returns its id, at rest. */
export async function makeBalancer({ api, settle }: World, more?: object): Promise<number> {
  const { load_balancer } = await done(api.post('/load_balancers', balancerBody(more)))
  await settle()
  return load_balancer.id
}

/** A Load Balancer as it is shown. */
export async function balancerOf(api: Client, id: number): Promise<Answer['body']> {
  return (await done(api.get(`/load_balancers/${id}`))).load_balancer
}

/** Asks for an action of a Load Balancer. */
export function command(api: Client, id: number, action: string, body?: unknown): Promise<Answer> {
  return api.post(`/load_balancers/${id}/actions/${action}`, body)
}

export const makeSubnet = (world: World) => makeNetwork(world, { subnets: [cloudSubnet('10.0.1.0/24')] })

export async function makeInside(world: World, more: object = {}): Promise<{ id: number; network: number }> {
  const network = await makeSubnet(world)
  return { id: await makeBalancer(world, { network, ...more }), network }
}

export async function makeCertificate({ api }: Pick<World, 'api'>): Promise<number> {
  const pair = selfSigned('www.example.com')
  return (await done(api.post('/certificates', { name: unique('certificate'), ...pair }))).certificate.id
}

export const prepare: Samples['prepare'] = async ({ api, settle }) => {
  const { load_balancer, action } = await done(api.post('/load_balancers', balancerBody({ services: [tcp(25)] })))
  await settle()
  return { id: load_balancer.id, actionId: action.id }
}

const measured = 'type=bandwidth&start=2026-11-21T00:00:00Z&end=2026-11-21T01:00:00Z'

export const samples: Samples = {
  prepare,
  requests: {
    create: () => ({ body: balancerBody() }),
    update: rename('balancer'),
    changeAlgorithm: () => ({ body: { type: 'least_connections' } }),
    changeType: () => ({ body: { load_balancer_type: 'lb21' } }),
    changeProtection: () => ({ body: { delete: true } }),
    async disablePublicInterface(world) {
      return { target: { id: (await makeInside(world)).id } }
    },
    addService: () => ({ body: tcp(26) }),
    updateService: () => ({ body: { listen_port: 25, destination_port: 26 } }),
    deleteService: () => ({ body: { listen_port: 25 } }),
    addTarget: () => ({ body: toSelector('sample=added') }),
    async removeTarget(world) {
      const target = toSelector('sample=removed')
      return { target: { id: await makeBalancer(world, { targets: [target] }) }, body: target }
    },
    attachToNetwork: async (world) => ({ body: { network: await makeSubnet(world) } }),
    async detachFromNetwork(world) {
      const { id, network } = await makeInside(world)
      return { target: { id }, body: { network } }
    },
    async changeDnsPtr({ api }, { id }) {
      const { ip } = (await balancerOf(api, id)).public_net.ipv4
      return { body: { ip, dns_ptr: 'balancer.example.com' } }
    },
    metrics: () => ({ query: measured }),
  },
}
