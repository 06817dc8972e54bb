/** The test lab through the API. Whatever belongs to another Project is as unknown as what lies outside. */
import { isFree, ownerOf } from '../families/addresses/store.ts'
import { handOverAgain, serverOf } from '../families/servers/desired.ts'
import { serversByIds } from '../families/servers/reads.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import type { Handlers } from '../kernel/contract/contract.ts'
import type { Queries } from '../kernel/data/db.ts'
import { invalidInput, notFound } from '../kernel/errors.ts'
import type { ProjectScope } from '../kernel/scope.ts'
import { parseCidr } from '../net/ip.ts'
import type { Platform } from '../platform.ts'
import type { labEndpoints, NamedEnd } from './contract.ts'
import type { PacketEnd, Verdict } from './driver.ts'

/** One handler for each endpoint. */
export function labRoutes({ db: { query } }: Platform, drivers: Drivers): Handlers<typeof labEndpoints> {
  return {
    async reachability({ scope, query: { from, to, protocol, port } }) {
      if ((protocol === 'icmp') !== (port === undefined)) {
        const message = protocol === 'icmp' ? 'must not be given for icmp' : `is required for ${protocol}`
        throw invalidInput([{ field: 'port', message }])
      }
      const ends = { from: await endOf(query, scope, from), to: await endOf(query, scope, to) }
      const { server, address } = ends.to
      if (server === null && address !== null && (await leadsNowhere(query, scope, address))) {
        return { reachability: toWire(nowhere(address)) }
      }
      const world = { query, scope, drivers }
      if (!(await drivers.reachability.remembers())) {
        for (const end of [ends.from, ends.to]) if (end.server !== null) await handOverAgain(world, end.server)
      }
      return { reachability: toWire(await drivers.reachability.trace({ ...ends, protocol, port: port ?? null })) }
    },
  }
}

/** The server behind what a request names, if the Project has it. Errors: `not_found`. */
async function endOf(query: Queries, scope: ProjectScope, end: NamedEnd): Promise<PacketEnd> {
  if ('server' in end) {
    const [known] = await serversByIds(query, scope, [end.server])
    if (!known) throw notFound('server', end.server)
    return { server: end.server, address: null }
  }
  const owner = await ownerOf(query, scope, rowOf(end.address))
  const server = owner === undefined ? undefined : await serverOf(query, scope, owner)
  return { server: server ?? null, address: end.address }
}

/** Whether an address that no server of the Project has is free, or one that the Project keeps without a server. */
async function leadsNowhere(query: Queries, scope: ProjectScope, address: string): Promise<boolean> {
  const ip = rowOf(address)
  return (await ownerOf(query, scope, ip)) !== undefined || isFree(query, ip)
}

/** How rows of the pool have an address: IPv6 is given out in /64 networks. */
function rowOf(address: string): string {
  const network = address.includes(':') ? parseCidr(`${address}/64`, 'drop') : undefined
  return network?.ok ? network.cidr : address
}

function nowhere(address: string): Verdict {
  return {
    reachable: false,
    path: null,
    decidedBy: { by: 'address', server: null, direction: null, rule: null },
    explanation: `No server has the address ${address}.`,
  }
}

function toWire({ reachable, path, decidedBy: { by, server, direction, rule }, explanation }: Verdict) {
  return {
    reachable,
    path,
    decided_by: { type: by, server, direction, rule: rule && { ...rule, networks: [...rule.networks] } },
    explanation,
  }
}
