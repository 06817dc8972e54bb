/** How what is on hosts differs from what the database wants. */
import { type InForce, type Kind, kinds, type Survey, type Thing } from '../drivers/incus/survey.ts'
import type { Queries } from '../kernel/data/db.ts'
import { knownIds, type Place, type Wanted, wantedAt } from './wanted.ts'

export interface Differences {
  /** What is not on the hosts as it is wanted. */
  readonly differing: readonly (Wanted & { readonly is: 'missing' | 'of another generation' })[]
  /** What is on the hosts and known to nobody. */
  readonly orphans: readonly Thing[]
  /** What is known and has lost its marks, with the generation that it should have. */
  readonly unmarked: readonly Thing[]
}

/** Errors: those of the survey and of the database. */
export async function differencesOf(
  query: Queries,
  hosts: Place & { survey(): Promise<Survey> },
): Promise<Differences> {
  // What is made meanwhile is then known, and not taken for something that nobody wants.
  const found = await hosts.survey()
  const known = new Map<Kind, ReadonlySet<number>>()
  for (const kind of kinds) known.set(kind, await knownIds(query, kind))
  const wanted = await wantedAt(query, hosts, found)
  return {
    differing: wanted.flatMap((one) => {
      const is = stateOf(one, found.inForce.get(one.desired.table)!)
      return is === 'as wanted' ? [] : [{ ...one, is }]
    }),
    orphans: found.things.filter(({ kind, id }) => !known.get(kind)!.has(id)),
    unmarked: found.unmarked
      .filter(({ kind, id }) => known.get(kind)!.has(id))
      .map((one) => ({ ...one, generation: generationOf(one, wanted) })),
  }
}

function stateOf({ row: { id, generation } }: Wanted, inForce: InForce) {
  if (!inForce.has(id)) return 'missing'
  return inForce.get(id) === generation ? 'as wanted' : 'of another generation'
}

/** An image has none; what is not confirmed yet gets the first one, which a later one replaces. */
function generationOf({ kind, id }: Omit<Thing, 'generation'>, wanted: readonly Wanted[]): number {
  const one = wanted.find(({ desired, row }) => desired.table === `${kind}_state` && row.id === id)
  return one?.row.generation ?? 0
}

/** What is told of a thing, such as `server 7`. */
export const nameOf = ({ kind, id }: Pick<Thing, 'kind' | 'id'>) => `${kind.replaceAll('_', ' ')} ${id}`
