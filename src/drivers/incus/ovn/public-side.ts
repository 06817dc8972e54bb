/** The public interfaces of servers: who they may claim to be, what passes their filter, and which addresses lead to them. */
import type { FilterState } from '../../../families/firewalls/driver.ts'
import type { RoutingState } from '../../../families/floating-ips/driver.ts'
import { type Change, carryOut } from './change.ts'
import { closedFilter, filterAcls } from './filters.ts'
import { deleteGroup, type Group, putGroup, readAcls, readGroups } from './groups.ts'
import { guardAcls, internalAcls } from './guards.ts'
import { InternalRange, instancePort, type Logical, linkLocalOf } from './logical.ts'
import type { Acl } from './matches.ts'
import {
  emptyRecord,
  filterGroup,
  type Internal,
  isStale,
  ownerOf,
  readRecord,
  recordGroup,
  type ServerRecord,
  seen,
  subjectOf,
  toMarks,
  unknownPort,
} from './records.ts'
import { destinationOf, putRoutes } from './routes.ts'
import { entriesOf, marked } from './rows.ts'
import type { PublicSide } from './sides.ts'
import type { Site } from './site.ts'

/** A server as it was read. */
interface Known {
  readonly record: ServerRecord
  readonly group: Group
  readonly filter: Group
}

type Addresses = 'primary' | 'floating'

export class PublicSides {
  readonly #site: Site

  constructor(site: Site) {
    this.#site = site
  }

  reserve(server: number, generation: number): Promise<Internal | undefined> {
    return carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group } = await this.#read(server)
      if (isStale(record, 'server', generation)) return undefined
      const located = await this.#locate(change, logical, record)
      this.#put(change, logical, group, located)
      return located.internal
    })
  }

  async admit(side: PublicSide): Promise<void> {
    const { server, generation, instance, mac, ipv4, ipv6, isClosed } = side
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group, filter } = await this.#read(server)
      if (isStale(record, 'server', generation)) return
      const located = await this.#locate(change, logical, record)
      const admitted = { ...located, side: { port: instancePort(logical, instance, 'eth0'), mac } }
      const addresses = [ipv4, ipv6].filter((address) => address !== null)
      const routed = await this.#route(change, logical, admitted, 'primary', addresses, generation)
      await this.#admitFilter(change, logical, filter, admitted, record.side?.port, isClosed)
      this.#put(change, logical, group, seen(routed, 'server', generation))
    })
  }

  async applyFilter({ serverId, generation, ...filter }: FilterState): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const known = await this.#read(serverId)
      if (isStale(known.record, 'filter', generation)) return
      const acls = filterAcls(filter, known.record.side?.port ?? unknownPort(serverId))
      const marks = { wolke: ownerOf(serverId), filter: String(generation) }
      putGroup(change, known.filter, { marks, acls, port: logical.gatewayPort })
      this.#put(change, logical, known.group, seen(known.record, 'filter', generation))
    })
  }

  async applyRouting({ serverId, generation, ips }: RoutingState): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group } = await this.#read(serverId)
      if (isStale(record, 'routing', generation)) return
      const located = await this.#locate(change, logical, record)
      const routed = await this.#route(change, logical, located, 'floating', ips, generation)
      this.#put(change, logical, group, seen(routed, 'routing', generation))
    })
  }

  /** Takes away all that is public of a server; answers false for a generation that comes too late. */
  async forget(server: number, generation: number): Promise<boolean> {
    return carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group, filter } = await this.#read(server)
      if (generation < record.generations.server) return false
      if (record.gone !== null) return true
      const { primary, floating, generations } = record
      const nothing = { owner: ownerOf(server), routes: new Map(), former: [...primary, ...floating], takes: false }
      await putRoutes(this.#site.database, change, logical, nothing)
      deleteGroup(change, filter)
      const gone = new Date(this.#site.now()).toISOString()
      const rest = { ...emptyRecord(server), generations: { ...generations, server: generation }, gone }
      this.#put(change, logical, group, rest)
      return true
    })
  }

  /** Forgets even the generations of what is gone: what comes under its number afterwards is another one. */
  async erase(server: number): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const { record, group } = await this.#read(server)
      if (record.gone !== null) deleteGroup(change, group)
    })
  }

  async #read(server: number): Promise<Known> {
    const names = [recordGroup(server), filterGroup(server)]
    const [group, filter] = await readGroups(this.#site.database, names)
    return { record: readRecord(server, group!), group: group!, filter: filter! }
  }

  /** The record with an internal address, which is a new one if it had none. */
  async #locate(change: Change, logical: Logical, record: ServerRecord) {
    if (record.internal) return { ...record, internal: record.internal }
    const rows = await this.#site.database.select('Port_Group', [], ['external_ids'])
    const taken = new Set(rows.map((row) => entriesOf(row.external_ids).ipv4))
    for (const internal of new InternalRange(logical).candidates(record.server)) {
      if (taken.has(internal.ipv4)) continue
      change.expect('Port_Group', [marked({ ipv4: internal.ipv4 })], ['name'], [])
      return { ...record, internal }
    }
    throw this.#site.refusal(`the public network ${logical.switch} has no internal address left`)
  }

  /** Makes exactly these addresses lead to a server. Whoever had one of them may not use it as a source any longer. */
  async #route(
    change: Change,
    logical: Logical,
    record: ServerRecord & { readonly internal: Internal },
    kind: Addresses,
    addresses: readonly string[],
    generation: number,
  ): Promise<ServerRecord & { readonly internal: Internal }> {
    const { server, internal, generations } = record
    const nexthop = (address: string) => (address.includes(':') ? internal.ipv6 : internal.ipv4)
    const routes = new Map(addresses.map((address) => [destinationOf(address), nexthop(address)]))
    const takes = generation > generations[kind === 'primary' ? 'server' : 'routing']
    const wanted = { owner: ownerOf(server), routes, former: record[kind], takes }
    const { losses, refused } = await putRoutes(this.#site.database, change, logical, wanted)
    for (const [owner, lost] of losses) await this.#lose(change, logical, owner, lost)
    return { ...record, [kind]: [...routes.keys()].filter((destination) => !refused.has(destination)) }
  }

  async #lose(change: Change, logical: Logical, owner: string, lost: readonly string[]): Promise<void> {
    const server = subjectOf({ wolke: owner })
    if (server === undefined) return
    const { record, group } = await this.#read(server)
    const keep = (destinations: readonly string[]) => destinations.filter((one) => !lost.includes(one))
    const { primary, floating } = record
    this.#put(change, logical, group, { ...record, primary: keep(primary), floating: keep(floating) })
  }

  /** The filter follows the server to its port; one that nobody knows yet lets nothing pass, if it is asked to. */
  async #admitFilter(
    change: Change,
    logical: Logical,
    group: Group,
    { server, side }: ServerRecord,
    former: string | undefined,
    isClosed: boolean,
  ): Promise<void> {
    const port = side?.port ?? unknownPort(server)
    const marks = { wolke: ownerOf(server) }
    const put = (acls: readonly Acl[], filter?: string) =>
      putGroup(change, group, {
        marks: { ...marks, ...(filter === undefined ? {} : { filter }) },
        acls,
        port: logical.gatewayPort,
      })
    if (group.marks?.filter !== undefined) {
      const before = JSON.stringify(former ?? unknownPort(server))
      const acls = await readAcls(this.#site.database, group)
      put(
        acls.map((acl) => ({ ...acl, match: acl.match.replaceAll(before, JSON.stringify(port)) })),
        group.marks.filter,
      )
    } else if (isClosed) put(filterAcls(closedFilter, port))
    else deleteGroup(change, group)
  }

  #put(change: Change, logical: Logical, group: Group, record: ServerRecord): void {
    const acls = record.gone === null ? publicGuard(logical, record) : []
    putGroup(change, group, { marks: toMarks(record), acls, port: acls.length > 0 ? logical.gatewayPort : null })
  }
}

/** What a server may claim to be on its public interface. */
function publicGuard(logical: Logical, { side, internal, primary, floating }: ServerRecord): Acl[] {
  if (!side || !internal) return []
  const addresses = [...primary, ...floating]
  const guarded = {
    ...side,
    ipv4: [internal.ipv4, ...addresses.filter((address) => !address.includes(':'))],
    ipv6: addresses.filter((address) => address.includes(':')),
    router: routerAddresses(logical),
  }
  return [...internalAcls(side.port, internal.ipv4), ...guardAcls(guarded)]
}

/** The IPv6 addresses of a router: on its port, and on the link. */
function routerAddresses({ routerNetworks, routerMac }: Logical): string[] {
  const own = routerNetworks.map((network) => network.split('/')[0]!).filter((address) => address.includes(':'))
  return [...new Set([...own, linkLocalOf(routerMac), gatewayAddress])]
}

/** The address by which servers find their router. */
export const gatewayAddress = 'fe80::1'
