/** Servers, firewalls and networks in reach of each other, and questions about what a packet would do there. */
import type { Client, World } from '../../test/kit/harness.ts'
import { done } from '../../test/kit/proof.ts'
import { newServer, serverOf } from '../families/servers/proof.ts'
import { wolkeBase } from '../kernel/contract/bases.ts'
import type { reachabilityEndpoints } from './contract.ts'

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
  return client.get(`${origin}${wolkeBase}/reachability?${query}`)
}

/** Returns the verdict on a packet. */
export async function answer(world: World, question: Question): Promise<Json> {
  return (await done(ask(world, world.api, question))).reachability
}

/** Makes a server and waits until it runs. */
export async function makeServer({ api, settle }: World, name: string, more: object = {}): Promise<Json> {
  const id = await newServer(api, name, more)
  await settle()
  return serverOf(api, id)
}

/** The server gets no public address. */
export const unreachable = { public_net: { enable_ipv4: false, enable_ipv6: false } }

/** A server in some networks, with the lowest free address of each. */
export const inside = (world: World, name: string, networks: number[], more: object = {}): Promise<Json> =>
  makeServer(world, name, { networks, ...more })

export const anywhere = ['0.0.0.0/0', '::/0']
export const ssh = { direction: 'in', protocol: 'tcp', port: '22', source_ips: anywhere }

/** An address that no server has. */
export const outside = '8.8.4.4'

/** Queries by endpoint. */
export const queries: Readonly<Record<keyof typeof reachabilityEndpoints, object>> = {
  capabilities: {},
  reachability: { from: outside, to: outside, protocol: 'icmp' },
}
