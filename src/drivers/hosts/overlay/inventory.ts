/**
 * Reads what there is in OVN with marks of ours, and tells whether it is as it was written: rows that somebody has changed
 * or removed keep their marks, or those of what they belong to.
 */

import { asCidr } from './filters/matches.ts'
import { type Group, isAsWritten, readAllGroups, toAllGroups } from './groups/groups.ts'
import { networkOf, networkOwner, parseRoutes, placeOwner, readPlace } from './marks/places.ts'
import { filterGroup, ownerOf, readRecord, recordedIn, type State, type SubjectRecord } from './marks/records.ts'
import type { Northbound } from './northbound.ts'
import { readAllRoutes, toIntactRoutes } from './routes/routes.ts'

/** By the ids that the marks name. */
export interface OverlayInventory {
  readonly servers: ReadonlyMap<number, OverlaySubject>
  readonly balancers: ReadonlyMap<number, OverlaySubject>
  readonly networks: ReadonlyMap<number, OverlayNetwork>
}

/** A server or a load balancer. */
export interface OverlaySubject {
  /** The newest one seen of each of its states; -1 for none. */
  readonly generations: SubjectRecord['generations']
  /** States that are not in force as they were written. */
  readonly damaged: ReadonlySet<State>
  /** Destinations that lead to it, such as `198.18.0.7/32`. */
  readonly routes: readonly string[]
  /** Ids of the private networks in which it is. */
  readonly places: ReadonlySet<number>
}

export interface OverlayNetwork {
  /** The newest one seen of its routes. */
  readonly generation: number
  readonly isDamaged: boolean
}

/** Looks at everything in one transaction. Errors: those of the overlay. */
export async function readInventory(database: Northbound): Promise<OverlayInventory> {
  const [groups, acls, routes, sets] = await database.transact([...readAllGroups, ...readAllRoutes])
  return new Reader(toAllGroups([groups, acls]), toIntactRoutes([routes, sets])).read()
}

class Reader {
  readonly #groups: readonly Group[]
  readonly #byName: ReadonlyMap<string, Group>
  readonly #routes: ReadonlyMap<string, ReadonlySet<string>>

  constructor(groups: readonly Group[], routes: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#groups = groups
    this.#byName = new Map(groups.map((group) => [group.name, group]))
    this.#routes = routes
  }

  read(): OverlayInventory {
    const servers = new Map<number, OverlaySubject>()
    const balancers = new Map<number, OverlaySubject>()
    const networks = new Map<number, OverlayNetwork>()
    const places = Map.groupBy(this.#groups, ({ marks }) => marks?.place)
    for (const group of this.#groups) {
      const network = networkOf(group.marks?.wolke)
      if (network !== undefined) networks.set(network, this.#network(group, network))
      const subject = recordedIn(group)
      if (!subject) continue
      const record = readRecord(subject, group)
      // A forgotten one stays remembered, so that only a newer generation is admitted.
      if (record.gone !== null) continue
      const found = this.#subject(group, record, places.get(ownerOf(subject)) ?? [])
      if (subject.kind === 'server') servers.set(subject.id, found)
      else balancers.set(subject.id, found)
    }
    return { servers, balancers, networks }
  }

  #subject(group: Group, record: SubjectRecord, places: readonly Group[]): OverlaySubject {
    const { subject, generations, primary, floating } = record
    const owner = ownerOf(subject)
    const filter = this.#byName.get(filterGroup(subject))
    const isIntact: Readonly<Record<State, boolean>> = {
      server: isAsWritten(group) && this.#lead(owner, primary),
      filter: filter !== undefined && isAsWritten(filter) && filter.marks?.filter === `${generations.filter}`,
      routing: this.#lead(owner, floating),
      private: places.every((place) => this.#isPlace(place)),
    }
    const damaged = (Object.keys(isIntact) as State[]).filter((state) => generations[state] >= 0 && !isIntact[state])
    return {
      generations,
      damaged: new Set(damaged),
      routes: [...primary, ...floating],
      places: new Set(places.map(({ marks }) => Number(marks?.network))),
    }
  }

  #isPlace(group: Group): boolean {
    const place = readPlace(group)
    if (!place || !isAsWritten(group)) return false
    return this.#lead(placeOwner(place.subject, place.network), place.addresses.slice(1).map(asCidr))
  }

  #network({ marks }: Group, network: number): OverlayNetwork {
    const destinations = parseRoutes(marks?.routes).map(({ destination }) => destination)
    return {
      generation: Number(marks?.generation ?? -1),
      isDamaged: !this.#lead(networkOwner(network), destinations),
    }
  }

  /** Tells whether all destinations lead to their owner. */
  #lead(owner: string, destinations: readonly string[]): boolean {
    return destinations.every((destination) => this.#routes.get(owner)?.has(destination))
  }
}
