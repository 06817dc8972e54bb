/** The database wants this of hosts, across all Projects. */
import { families } from '../families.ts'
import type { Queries } from '../kernel/data/db.ts'
import type { Desired, DesiredRow } from '../kernel/resource/desired.ts'
import { idsIn } from '../kernel/resource/known.ts'
import { type Kind, kinds, type Place, type State, type Subject, statesOfHosts } from './kinds.ts'

/** A state that a driver has confirmed and that is still the newest: it must be on the hosts. */
export interface Wanted {
  readonly desired: Desired
  readonly state: State
  readonly row: DesiredRow
}

/** Everything that is wanted at a place, in the order in which it is made. Errors: those of the database. */
export async function wantedAt(query: Queries, place: Place): Promise<Wanted[]> {
  const all = new Map(families.flatMap((family) => family.desired.map((desired) => [desired.table, desired] as const)))
  const here = new Map<Subject, ReadonlySet<number>>()
  for (const kind of new Set(statesOfHosts.map(([, subject]) => subject)))
    here.set(kind, await kinds[kind].idsAt(query, place))
  const found: Wanted[] = []
  for (const [state, subject] of statesOfHosts) {
    const desired = all.get(state)!
    for (const row of await desired.across(query)) {
      const isConfirmed = row.generation === row.generation_in_force
      if (isConfirmed && here.get(subject)!.has(row.id)) found.push({ desired, state, row })
    }
  }
  return found
}

/** The ids of everything that the database has, or still has to remove, by kind. */
export type Known = ReadonlyMap<Kind, ReadonlySet<number>>

/** Errors: those of the database. */
export async function allKnown(query: Queries): Promise<Known> {
  const known = new Map<Kind, ReadonlySet<number>>()
  for (const kind of Object.keys(kinds) as Kind[]) known.set(kind, await idsIn(query, kinds[kind].tables))
  return known
}
