/** The database wants this of hosts, across all Projects. */
import { balancersAt } from '../families/load-balancers/host.ts'
import { networksIn } from '../families/networks/host.ts'
import { serversAt } from '../families/servers/host.ts'
import { volumesAt } from '../families/volumes/host.ts'
import { families } from '../families.ts'
import type { Queries } from '../kernel/data/db.ts'
import type { TenantTable } from '../kernel/data/scoped.ts'
import type { Desired, DesiredRow } from '../kernel/resource/desired.ts'
import { idsIn } from '../kernel/resource/known.ts'
import { type Kind, type Place, type State, type Subject, subjects } from './inventory.ts'

/** A state that a driver has confirmed and that is still the newest: it must be on the hosts. */
export interface Wanted {
  readonly desired: Desired
  readonly state: State
  readonly row: DesiredRow
}

/** Finds the ids of everything of a kind that the database has at a place. */
const idsAt: Readonly<Record<Subject, (query: Queries, place: Place) => Promise<ReadonlySet<number>>>> = {
  network: (query, { networkZones }) => networksIn(query, networkZones),
  volume: (query, { locations }) => volumesAt(query, [...locations]),
  server: (query, { locations }) => serversAt(query, [...locations]),
  load_balancer: (query, { locations }) => balancersAt(query, [...locations]),
}

/** Everything that is wanted at a place, in the order in which it is made. Errors: those of the database. */
export async function wantedAt(query: Queries, place: Place): Promise<Wanted[]> {
  const all = new Map(families.flatMap((family) => family.desired.map((desired) => [desired.table, desired] as const)))
  const here = new Map<Subject, ReadonlySet<number>>()
  for (const kind of Object.keys(idsAt) as Subject[]) here.set(kind, await idsAt[kind](query, place))
  const found: Wanted[] = []
  for (const [state, subject] of Object.entries(subjects) as [State, Subject][]) {
    const desired = all.get(state)!
    for (const row of await desired.across(query)) {
      const isConfirmed = row.generation === row.generation_in_force
      if (isConfirmed && here.get(subject)!.has(row.id)) found.push({ desired, state, row })
    }
  }
  return found
}

/** Tables in which something of a kind may still be known: what is deleted stays known until the hosts have removed it. */
const knownIn: Readonly<Record<Kind, readonly TenantTable[]>> = {
  server: ['server', 'server_state'],
  volume: ['volume', 'volume_state'],
  network: ['network', 'network_state'],
  image: ['image', 'image_removal'],
  load_balancer: ['load_balancer', 'load_balancer_state'],
}

/** The ids of everything that the database has, or still has to remove, by kind. */
export type Known = ReadonlyMap<Kind, ReadonlySet<number>>

/** Errors: those of the database. */
export async function allKnown(query: Queries): Promise<Known> {
  const known = new Map<Kind, ReadonlySet<number>>()
  for (const kind of Object.keys(knownIn) as Kind[]) known.set(kind, await idsIn(query, knownIn[kind]))
  return known
}
