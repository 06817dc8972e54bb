/** Reachability through the API. Whatever belongs to another Project is as unknown as what lies outside. */

import { isFree, ownerOf } from '../families/addresses/store.ts'
import { onTheWay, placesWith } from '../families/networks/reads.ts'
import { recall, serverOf } from '../families/servers/desired.ts'
import { serversByIds } from '../families/servers/reads.ts'
import { facilities } from '../families.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import type { Handlers } from '../kernel/contract/contract.ts'
import type { Queries } from '../kernel/data/db.ts'
import { invalidInput, notFound } from '../kernel/errors.ts'
import type { ProjectScope } from '../kernel/scope.ts'
import type { Platform } from '../platform.ts'
import { cidrContains, parseCidr } from '../protocols/net/ip.ts'
import { privateUse } from '../protocols/net/private-networks.ts'
import type { NamedEnd, reachabilityEndpoints } from './contract.ts'
import type { Packet, PacketEnd, Verdict } from './driver.ts'

/** One handler for each endpoint. */
export function reachabilityRoutes(platform: Platform, drivers: Drivers): Handlers<typeof reachabilityEndpoints> {
  const { catalogue, capabilities, db, secrets } = platform
  const { query } = db
  return {
    async capabilities({ params: { id } }) {
      if (!catalogue.locationById(id)) throw notFound('location', id)
      const told = Object.entries(facilities).map(([name, { tell }]) => [name, tell(drivers)])
      return { capabilities: { location: id, ...capabilities(id), ...Object.fromEntries(told) } }
    },

    async reachability({ scope, query: { from, to, protocol, port } }) {
      if ((protocol === 'icmp') !== (port === undefined)) {
        const message = protocol === 'icmp' ? 'must not be given for icmp' : `is required for ${protocol}`
        throw invalidInput([{ field: 'port', message }])
      }
      const lookUp = { query, scope }
      const ends = await choosePlace(lookUp, await endsOf(lookUp, from, to))
      const lost = await leadingNowhere(lookUp, ends)
      if (lost) return { reachability: toWire(nowhere(lost)) }
      const servers = [...(await concerned(lookUp, ends))]
      const tell = (drivers: Drivers) => recall({ query, scope, drivers, secrets }, servers)
      await tell(drivers)
      return { reachability: toWire(await drivers.reachability.trace({ ...ends, protocol, port: port ?? null }, tell)) }
    },
  }
}

interface LookUp {
  readonly query: Queries
  readonly scope: ProjectScope
}

type Ends = Pick<Packet, 'from' | 'to'>

/** What a request names as both ends, with the servers behind it. Errors: `not_found`. */
async function endsOf(lookUp: LookUp, from: NamedEnd, to: NamedEnd): Promise<Ends> {
  const named = [from, to].flatMap((end) => ('server' in end ? [end.server] : []))
  const known = new Set((await serversByIds(lookUp.query, lookUp.scope, named)).map(({ id }) => id))
  return { from: await endOf(lookUp, from, known), to: await endOf(lookUp, to, known) }
}

/** The server behind what a request names, if the Project has it. Errors: `not_found`. */
async function endOf({ query, scope }: LookUp, end: NamedEnd, known: ReadonlySet<number>): Promise<PacketEnd> {
  if ('server' in end) {
    if (!known.has(end.server)) throw notFound('server', end.server)
    return { server: end.server, address: null, isPrivate: false }
  }
  const { address } = end
  const owner = await ownerOf(query, scope, rowOf(address))
  const server = owner === undefined ? undefined : await serverOf(query, scope, owner)
  const isPrivate = owner === undefined && inPrivateUse(address) && (await isOfNetworks({ query, scope }, address))
  return { server: server ?? null, address, isPrivate }
}

/** An installation may give out addresses of private ranges as its public ones; a network may have the same all the same. */
async function isOfNetworks({ query, scope }: LookUp, address: string): Promise<boolean> {
  return !(await isFree(query, rowOf(address))) || (await placesWith(query, scope, [address])).length > 0
}

/**
 * Finds the server that sends from a private address. Several networks may have it: then it is the one in the first of
 * them in which the destination is as well, and else the one in the first of them.
 */
async function choosePlace(lookUp: LookUp, { from, to }: Ends): Promise<Ends> {
  if (!from.isPrivate) return { from, to }
  const senders = await placesWith(lookUp.query, lookUp.scope, [from.address!])
  const receivers = to.isPrivate ? await placesWith(lookUp.query, lookUp.scope, [to.address!]) : []
  const near = await firstWhere(senders, async ({ serverId, networkId }) =>
    to.server === null
      ? receivers.some((receiver) => receiver.networkId === networkId)
      : (await onTheWay(lookUp.query, lookUp.scope, serverId, { server: to.server })).includes(to.server),
  )
  return { from: { ...from, server: (near ?? senders[0])?.serverId ?? null }, to }
}

async function firstWhere<T>(all: readonly T[], fits: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await fits(one)) return one
  return undefined
}

/** The address of an end that no server has, although it is free, the Project keeps it, or it could only be the Project's. */
async function leadingNowhere({ query, scope }: LookUp, { from, to }: Ends): Promise<string | undefined> {
  if (from.isPrivate && from.server === null) return from.address!
  if (to.server !== null || to.isPrivate) return undefined
  const ip = rowOf(to.address!)
  return (await ownerOf(query, scope, ip)) !== undefined || (await isFree(query, ip)) ? to.address! : undefined
}

/** All servers that have a part in the answer. */
async function concerned({ query, scope }: LookUp, { from, to }: Ends): Promise<Set<number>> {
  const ends = [from.server, to.server].filter((id) => id !== null)
  if (from.server === null) return new Set(ends)
  const target = to.address === null ? { server: to.server! } : { address: to.address }
  return new Set([...ends, ...(await onTheWay(query, scope, from.server, target))])
}

const inPrivateUse = (address: string) => privateUse.some((range) => cidrContains(range, address))

/** Returns an address as rows of the pool spell it: IPv6 is given out in /64 networks. */
function rowOf(address: string): string {
  const network = address.includes(':') ? parseCidr(`${address}/64`, 'drop') : undefined
  return network?.ok ? network.cidr : address
}

function nowhere(address: string): Verdict {
  return {
    reachable: false,
    path: null,
    decidedBy: { by: 'address', server: null, network: null, direction: null, rule: null },
    explanation: `No server has the address ${address}.`,
  }
}

function toWire({ reachable, path, decidedBy: { by, server, network, direction, rule }, explanation }: Verdict) {
  return {
    reachable,
    path,
    decided_by: { type: by, server, network, direction, rule: rule && { ...rule, networks: [...rule.networks] } },
    explanation,
  }
}
