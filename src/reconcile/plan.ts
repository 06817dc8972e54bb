/** Plans what has to be done about hosts: it tells how they differ from what the database wants. */
import type { Queries } from '../kernel/data/db.ts'
import type { Inventory, Thing } from './inventory.ts'
import type { Place } from './kinds.ts'
import { allKnown, type Known, type Wanted, wantedAt } from './wanted.ts'

export interface Difference extends Wanted {
  readonly is: 'missing' | 'of another generation' | 'not as it was written' | 'on a host that does not answer'
}

export interface Plan {
  /** States that are not on the hosts as they are wanted, in the order in which they are handed over. */
  readonly differing: readonly Difference[]
  /** Things that are on the hosts and known to nobody. */
  readonly orphans: readonly Thing[]
  /** Things that are known and have lost their marks, with the generation that they should have. */
  readonly unmarked: readonly Thing[]
}

/** Compares hosts with the database. Errors: those of the hosts and of the database. */
export async function planFor(query: Queries, hosts: Place & { inventory(): Promise<Inventory> }): Promise<Plan> {
  // Something that is made meanwhile is then known, and not taken for something that nobody wants.
  const inventory = await hosts.inventory()
  const known = await allKnown(query)
  return planOf(inventory, known, await wantedAt(query, hosts))
}

function planOf({ things, inForce, unmarked }: Inventory, known: Known, wanted: readonly Wanted[]): Plan {
  const isKnown = ({ kind, id }: Omit<Thing, 'generation'>) => known.get(kind)!.has(id)
  return {
    differing: wanted.flatMap((one) => {
      const is = differenceIn(one, inForce)
      return is ? [{ ...one, is }] : []
    }),
    orphans: things.filter((thing) => !isKnown(thing)),
    unmarked: unmarked.filter(isKnown).map((thing) => ({ ...thing, generation: generationOf(thing, wanted) })),
  }
}

/** Undefined for what is as it is wanted. */
function differenceIn({ state, row }: Wanted, inForce: Inventory['inForce']): Difference['is'] | undefined {
  const found = inForce[state].get(row.id)
  if (found === undefined) return 'missing'
  if (found === 'changed') return 'not as it was written'
  if (found === 'unknown') return 'on a host that does not answer'
  return found === row.generation ? undefined : 'of another generation'
}

/** An image has none; what is not confirmed yet gets the first one, which a later one replaces. */
function generationOf({ kind, id }: Omit<Thing, 'generation'>, wanted: readonly Wanted[]): number {
  return wanted.find(({ state, row }) => state === `${kind}_state` && row.id === id)?.row.generation ?? 0
}
