/** The interfaces in private networks: who their owners may claim to be there, and where their alias IPs are. */
import { carryOut } from '../../../../protocols/ovsdb/change.ts'
import { asCidr } from '../filters/matches.ts'
import { deleteGroup, expectGroup, findGroups, type Group, putMarks, readGroups } from '../groups/groups.ts'
import { instancePort, releasePort } from '../logical.ts'
import { networkGroup, parseRoutes, placeGroup, placeOwner, placesOf, putPlace, readPlace } from '../marks/places.ts'
import { isStale, type Kind, readRecord, recordGroup, type Subject, seen, toMarks } from '../marks/records.ts'
import type { NorthboundChange } from '../northbound.ts'
import { putRoutes } from '../routes/routes.ts'
import type { Site } from '../site.ts'
import type { PrivateNic } from './nics.ts'

export class PrivateNics {
  readonly #site: Site
  readonly #kind: Kind

  constructor(site: Site, kind: Kind) {
    this.#site = site
    this.#kind = kind
  }

  /** Makes these be all places of a subject. */
  async admit(id: number, generation: number, nics: readonly PrivateNic[]): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      const subject = { kind: this.#kind, id }
      const [group] = await readGroups(this.#site.database, [recordGroup(subject)])
      const record = readRecord(subject, group!)
      if (isStale(record, 'private', generation)) return
      const takes = generation > record.generations.private
      for (const former of await this.#placesOf(subject)) {
        const isKept = nics.some(({ network }) => former.name === placeGroup(subject, network))
        if (!isKept) await this.#leave(change, former)
      }
      for (const nic of nics) await this.#enter(change, subject, nic, takes)
      // The generation is all that changes here: what is in force on the public interface stays as it is.
      putMarks(change, group!, toMarks(seen(record, 'private', generation)))
    })
  }

  /** Takes a subject out of all networks. */
  async forget(id: number): Promise<void> {
    await carryOut(this.#site.database, async (change) => {
      for (const place of await this.#placesOf({ kind: this.#kind, id })) await this.#leave(change, place)
    })
  }

  #placesOf(subject: Subject): Promise<Group[]> {
    return findGroups(this.#site.database, placesOf(subject))
  }

  async #enter(change: NorthboundChange, subject: Subject, nic: PrivateNic, takes: boolean): Promise<void> {
    const { network, incusNetwork, ip, aliasIps, mac } = nic
    const logical = await this.#site.logical(incusNetwork)
    const names = [placeGroup(subject, network), networkGroup(network)]
    const [group, shape] = await readGroups(this.#site.database, names)
    const before = readPlace(group!)
    const former = (before?.addresses.slice(1) ?? []).map(asCidr)
    const routes = new Map(aliasIps.map((alias) => [asCidr(alias), ip]))
    const owner = placeOwner(subject, network)
    const { refused } = await putRoutes(this.#site.database, change, logical, { owner, routes, former, takes })
    const own = aliasIps.filter((alias) => !refused.has(asCidr(alias)))
    const port = instancePort(logical, nic.instance, nic.device)
    if (before && before.port !== port) await releasePort(this.#site.database, change, logical, before.port)
    const place = { subject, network, incusNetwork, port, mac, addresses: [ip, ...own] }
    expectGroup(change, shape!)
    putPlace(change, logical, group!, place, parseRoutes(shape!.marks?.routes))
  }

  async #leave(change: NorthboundChange, group: Group): Promise<void> {
    const place = readPlace(group)
    const logical = place && (await this.#site.find(place.incusNetwork))
    if (logical) {
      const former = place.addresses.slice(1).map(asCidr)
      const nothing = { owner: placeOwner(place.subject, place.network), routes: new Map(), former, takes: false }
      await putRoutes(this.#site.database, change, logical, nothing)
      await releasePort(this.#site.database, change, logical, place.port)
    }
    deleteGroup(change, group)
  }
}
