/**
 * The public interfaces of servers and load balancers: who they may claim to be, what passes their filter, and which
 * addresses lead to them.
 */
import type { FilterState } from '../../../../families/firewalls/driver.ts'
import type { RoutingState } from '../../../../families/floating-ips/driver.ts'
import { carryOut } from '../../../../protocols/ovsdb/change.ts'
import { entriesOf, marked, type Texts } from '../../../../protocols/ovsdb/rows.ts'
import { closedFilter, filterAcls } from '../filters/filters.ts'
import { type Acl, asCidr } from '../filters/matches.ts'
import { deleteGroup, type Group, isAsWritten, putGroup, readGroups } from '../groups/groups.ts'
import { InternalRange, instancePort, type Logical, releasePort } from '../logical.ts'
import { placementWithin } from '../marks/placements.ts'
import {
  emptyRecord,
  filterGroup,
  type Internal,
  isStale,
  type Kind,
  ownerOf,
  readRecord,
  recordGroup,
  type Subject,
  type SubjectRecord,
  seen,
  subjectOf,
  toMarks,
  unknownPort,
} from '../marks/records.ts'
import type { NorthboundChange } from '../northbound.ts'
import { putRoutes } from '../routes/routes.ts'
import type { Site } from '../site.ts'
import { guardAcls, internalAcls } from '../sources/guards.ts'
import { guardedOf } from '../sources/public-guard.ts'
import type { PublicNic } from './nics.ts'

/** A subject as it was read. */
interface Known {
  readonly record: SubjectRecord
  readonly group: Group
  readonly filter: Group
}

type Addresses = 'primary' | 'floating'

export class PublicNics {
  readonly #site: Site
  readonly #kind: Kind

  constructor(site: Site, kind: Kind) {
    this.#site = site
    this.#kind = kind
  }

  /** `group` is the placement group that a host may be kept in. */
  reserve(id: number, generation: number, group: number | null): Promise<Internal | undefined> {
    return carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group: known } = await this.#read(id)
      if (isStale(record, 'server', generation)) return undefined
      const located = await this.#locate(change, logical, record)
      this.#put(change, logical, known, { ...located, placement: placementWithin(record.placement, group) })
      return located.internal
    })
  }

  async admit(nic: PublicNic): Promise<void> {
    const { server, generation, instance, mac, ipv4, ipv6, isClosed } = nic
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group, filter } = await this.#read(server)
      if (isStale(record, 'server', generation)) return
      const located = await this.#locate(change, logical, record)
      const admitted = { ...located, nic: { port: instancePort(logical, instance, 'eth0'), mac } }
      if (record.nic?.port !== admitted.nic.port) await this.#release(change, logical, record)
      const addresses = [ipv4, ipv6].filter((address) => address !== null)
      const routed = await this.#route(change, logical, admitted, 'primary', addresses, generation)
      this.#admitFilter(change, logical, filter, admitted, record.nic?.port, isClosed)
      this.#put(change, logical, group, seen(routed, 'server', generation))
    })
  }

  async applyFilter({ serverId, generation, ...filter }: FilterState): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const known = await this.#read(serverId)
      if (isStale(known.record, 'filter', generation)) return
      const { subject, nic } = known.record
      const acls = filterAcls(filter, nic?.port ?? unknownPort(subject))
      const marks = { wolke: ownerOf(subject), filter: String(generation) }
      putGroup(change, known.filter, { marks, acls, port: logical.gatewayPort })
      this.#put(change, logical, known.group, seen(known.record, 'filter', generation))
    })
  }

  async applyRouting({ serverId, generation, ips, leaving = [] }: RoutingState): Promise<void> {
    const staying = new Set(leaving.map(asCidr))
    await carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group } = await this.#read(serverId)
      if (isStale(record, 'routing', generation)) return
      const located = await this.#locate(change, logical, record)
      const kept = record.floating.filter((destination) => staying.has(destination))
      const routed = await this.#route(change, logical, located, 'floating', [...ips, ...kept], generation)
      this.#put(change, logical, group, seen(routed, 'routing', generation))
    })
  }

  /**
   * Takes away all that is public of a subject; null takes its generations as well. Answers false for a generation that
   * comes too late.
   */
  async forget(id: number, generation: number | null): Promise<boolean> {
    return carryOut(this.#site.database, async (change) => {
      const logical = await this.#site.public()
      const { record, group, filter } = await this.#read(id)
      const { subject, primary, floating, generations } = record
      if (generation !== null && generation < generations.server) return false
      if (generation === generations.server && record.gone !== null) return true
      const nothing = { owner: ownerOf(subject), routes: new Map(), former: [...primary, ...floating], takes: false }
      await putRoutes(this.#site.database, change, logical, nothing)
      await this.#release(change, logical, record)
      deleteGroup(change, filter)
      if (generation === null) deleteGroup(change, group)
      else {
        const gone = new Date(this.#site.now()).toISOString()
        const rest = { ...emptyRecord(subject), generations: { ...generations, server: generation }, gone }
        this.#put(change, logical, group, rest)
      }
      return true
    })
  }

  #read(id: number): Promise<Known> {
    return this.#readSubject({ kind: this.#kind, id })
  }

  async #readSubject(subject: Subject): Promise<Known> {
    const names = [recordGroup(subject), filterGroup(subject)]
    const [group, filter] = await readGroups(this.#site.database, names)
    return { record: readRecord(subject, group!), group: group!, filter: filter! }
  }

  /** The record with an internal address, which is a new one if it had none. */
  async #locate(change: NorthboundChange, logical: Logical, record: SubjectRecord) {
    if (record.internal) return { ...record, internal: record.internal }
    const rows = await this.#site.database.select('Port_Group', [], ['external_ids'])
    const taken = new Set(rows.map((row) => entriesOf(row.external_ids).ipv4))
    for (const internal of new InternalRange(logical).candidates(record.subject.id)) {
      if (taken.has(internal.ipv4)) continue
      change.expect('Port_Group', [marked({ ipv4: internal.ipv4 })], ['name'], [])
      return { ...record, internal }
    }
    throw this.#site.refusal(`the public network ${logical.switch} has no internal address left`)
  }

  async #release(change: NorthboundChange, logical: Logical, { nic }: SubjectRecord): Promise<void> {
    if (nic) await releasePort(this.#site.database, change, logical, nic.port)
  }

  /** Makes exactly these addresses lead to a subject. Whoever had one of them may not use it as a source any longer. */
  async #route(
    change: NorthboundChange,
    logical: Logical,
    record: SubjectRecord & { readonly internal: Internal },
    kind: Addresses,
    addresses: readonly string[],
    generation: number,
  ): Promise<SubjectRecord & { readonly internal: Internal }> {
    const { subject, internal, generations } = record
    const nexthop = (address: string) => (address.includes(':') ? internal.ipv6 : internal.ipv4)
    const routes = new Map(addresses.map((address) => [asCidr(address), nexthop(address)]))
    const takes = generation > generations[kind === 'primary' ? 'server' : 'routing']
    const wanted = { owner: ownerOf(subject), routes, former: record[kind], takes }
    const { losses, refused } = await putRoutes(this.#site.database, change, logical, wanted)
    for (const [owner, lost] of losses) await this.#lose(change, logical, owner, lost)
    return { ...record, [kind]: [...routes.keys()].filter((destination) => !refused.has(destination)) }
  }

  async #lose(change: NorthboundChange, logical: Logical, owner: string, lost: readonly string[]): Promise<void> {
    const subject = subjectOf(owner)
    if (!subject) return
    const { record, group } = await this.#readSubject(subject)
    const keep = (destinations: readonly string[]) => destinations.filter((one) => !lost.includes(one))
    const { primary, floating } = record
    this.#put(change, logical, group, { ...record, primary: keep(primary), floating: keep(floating) })
  }

  /**
   * The filter follows the server to its port. One that nobody knows yet lets nothing pass, if it is asked to; one that
   * somebody else has removed, in any case.
   */
  #admitFilter(
    change: NorthboundChange,
    logical: Logical,
    group: Group,
    { subject, nic, generations }: SubjectRecord,
    former: string | undefined,
    isClosed: boolean,
  ): void {
    const port = nic?.port ?? unknownPort(subject)
    const put = (acls: readonly Acl[], marks: Texts = {}) =>
      putGroup(change, group, { marks: { wolke: ownerOf(subject), ...marks }, acls, port: logical.gatewayPort })
    const { filter } = group.marks ?? {}
    if (filter !== undefined) {
      const [before, now] = [former ?? unknownPort(subject), port].map((name) => JSON.stringify(name))
      const moved = group.acls.map((acl) => ({ ...acl, match: acl.match.replaceAll(before!, now!) }))
      // Rows that somebody has changed move along, and stay known as not those that were asked for.
      put(moved, { filter: isAsWritten(group) ? filter : 'changed' })
    } else if (isClosed || generations.filter >= 0) put(filterAcls(closedFilter, port))
    else deleteGroup(change, group)
  }

  #put(change: NorthboundChange, logical: Logical, group: Group, record: SubjectRecord): void {
    const guarded = guardedOf(logical, record)
    const acls = guarded ? [...internalAcls(guarded.port, guarded.internal), ...guardAcls(guarded)] : []
    putGroup(change, group, {
      marks: toMarks(record),
      acls,
      port: guarded ? logical.gatewayPort : null,
    })
  }
}
