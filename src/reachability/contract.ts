/** Reachability and capabilities on the wire, below `/wolke/v1`: what no client of the public API knows. */
import { type TBoolean, type TSchema, Type } from 'typebox'
import { type Capability, capabilityNames } from '../catalogue/capabilities.ts'
import { facilities } from '../families.ts'
import { defineEndpoints, Id, named, nullable, type Param } from '../kernel/contract/contract.ts'
import { TooMuch } from '../kernel/errors.ts'
import { parseId } from '../kernel/ids.ts'
import { parseAddress } from '../protocols/net/ip.ts'
import { type PacketProtocol, packetProtocols } from './driver.ts'

/** An end of a packet as a request names it. */
export type NamedEnd = { readonly server: number } | { readonly address: string }

const maxEndText = 64

function endParam(description: string): Param<NamedEnd> {
  return {
    schema: { type: 'string', maxLength: maxEndText, examples: ['server:10000000001', '192.0.2.7'] },
    description: `${description}: \`server:ID\` or an address`,
    repeatable: false,
    parse(texts) {
      const text = texts.at(-1)
      if (text === undefined) throw 'is required'
      if (text.length > maxEndText) throw new TooMuch(`must not have more than ${maxEndText} characters`)
      if (!text.startsWith('server:')) return { address: addressIn(text) }
      const server = parseId(text.slice('server:'.length))
      if (server === undefined) throw 'must be server:ID or an IP address'
      return { server }
    },
  }
}

function addressIn(text: string): string {
  const parsed = parseAddress(text)
  if (!parsed.ok) throw 'must be server:ID or an IP address'
  return parsed.address
}

const protocolParam: Param<PacketProtocol> = {
  schema: { type: 'string', enum: packetProtocols },
  description: 'The protocol of the packet',
  repeatable: false,
  parse(texts) {
    const protocol = packetProtocols.find((known) => known === texts.at(-1))
    if (protocol === undefined) throw `must be one of ${packetProtocols.join(', ')}`
    return protocol
  },
}

const portParam: Param<number | undefined> = {
  schema: { type: 'integer', minimum: 1, maximum: 65_535 },
  description: 'The destination port; for tcp and udp',
  repeatable: false,
  parse(texts) {
    const text = texts.at(-1)
    if (text === undefined) return undefined
    const port = parseId(text)
    if (port === undefined || port > 65_535) throw 'must be an integer from 1 to 65535'
    return port
  },
}

const Reachability = named('Reachability', {
  reachable: Type.Boolean(),
  path: nullable(Type.Enum(['public', 'private'])),
  decided_by: Type.Object({
    type: Type.Enum(['rule', 'filter', 'power', 'address', 'route', 'nothing']),
    server: nullable(Id),
    network: nullable(Id),
    direction: nullable(Type.Enum(['in', 'out'])),
    rule: nullable(
      Type.Object({ protocol: Type.String(), port: nullable(Type.String()), networks: Type.Array(Type.String()) }),
    ),
  }),
  explanation: Type.String(),
})

const Capabilities = named('Capabilities', {
  location: Id,
  ...(Object.fromEntries(capabilityNames.map((name) => [name, Type.Boolean()])) as Record<Capability, TBoolean>),
  ...(Object.fromEntries(Object.entries(facilities).map(([name, { schema }]) => [name, schema])) as Record<
    never,
    TSchema
  >),
})

export const reachabilityEndpoints = defineEndpoints({
  capabilities: {
    family: 'locations',
    title: 'location',
    method: 'GET',
    needs: 'viewer',
    path: '/locations/{id}/capabilities',
    summary: 'Tell what the infrastructure of a location can do',
    section: 'What locations can do',
    status: 200,
    reply: Type.Object({ capabilities: Capabilities }),
    errors: [],
  },
  reachability: {
    family: 'reachability',
    method: 'GET',
    needs: 'viewer',
    path: '/reachability',
    summary: 'Tell whether a packet would arrive, and what decides it',
    section: 'Reachability',
    query: {
      from: endParam('Where the packet comes from'),
      to: endParam('Where it goes'),
      protocol: protocolParam,
      port: portParam,
    },
    status: 200,
    reply: Type.Object({ reachability: Reachability }),
    errors: ['not_found'],
  },
})
