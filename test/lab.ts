/** Servers, firewalls and networks in reach of each other, and questions about what a packet would do there. */
import type { Client, World } from './harness.ts'
import { done } from './proof.ts'

// biome-ignore lint/suspicious/noExplicitAny: replies of every shape
export type Json = any

export interface Question {
  readonly from: string
  readonly to: string
  readonly protocol: 'tcp' | 'udp' | 'icmp'
  readonly port?: number
}

/** Asks what would become of a packet; the answer may be a refusal. */
export function ask({ baseUrl }: World, client: Client, question: object) {
  const origin = new URL(baseUrl).origin
  const query = new URLSearchParams({ ...question } as Record<string, string>)
  return client.get(`${origin}/wolke/v1/reachability?${query}`)
}

/** What would become of a packet. */
export async function answer(world: World, question: Question): Promise<Json> {
  return (await done(ask(world, world.api, question))).reachability
}

/** Makes a server and waits until it runs. */
export async function makeServer({ api, settle }: World, name: string, more: object = {}): Promise<Json> {
  const { server } = await done(api.post('/servers', { name, server_type: 'cx23', image: 'debian-12', ...more }))
  await settle()
  return (await done(api.get(`/servers/${server.id}`))).server
}

/** Without any public address. */
export const unreachable = { public_net: { enable_ipv4: false, enable_ipv6: false } }

/** A server in some networks, with the lowest free address of each. */
export const inside = (world: World, name: string, networks: number[], more: object = {}): Promise<Json> =>
  makeServer(world, name, { networks, ...more })

export const anywhere = ['0.0.0.0/0', '::/0']
export const ssh = { direction: 'in', protocol: 'tcp', port: '22', source_ips: anywhere }

/** Puts servers behind a firewall, and waits for it. */
export async function makeFirewall(
  { api, settle }: World,
  name: string,
  rules: object[],
  servers: Json[],
): Promise<void> {
  const targets = servers.map(({ id }) => ({ type: 'server', server: { id } }))
  await done(api.post('/firewalls', { name, rules, apply_to: targets }))
  await settle()
}

/** An address that no server has. */
export const outside = '8.8.4.4'

/** Adds a route to a network, and waits for it. */
export async function addRoute({ api, settle }: World, network: number, route: object): Promise<void> {
  await done(api.post(`/networks/${network}/actions/add_route`, route))
  await settle()
}

/** Removes all routes of some networks, and waits for that. */
export async function removeRoutes({ api, settle }: World, networks: Json[]): Promise<void> {
  for (const { id, routes } of networks) {
    for (const route of routes) {
      await done(api.post(`/networks/${id}/actions/delete_route`, route))
      await settle()
    }
  }
}
