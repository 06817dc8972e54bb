/** What the database wants of hosts, across all Projects. */
import type { Kind, Survey } from '../drivers/incus/survey.ts'
import { networksIn } from '../families/networks/host.ts'
import { serversAt } from '../families/servers/host.ts'
import { volumesAt } from '../families/volumes/host.ts'
import { families } from '../families.ts'
import type { Queries } from '../kernel/data/db.ts'
import type { TenantTable } from '../kernel/data/scoped.ts'
import type { Desired, DesiredRow } from '../kernel/resource/desired.ts'
import { idsIn } from '../kernel/resource/known.ts'

/** Where hosts are. */
export interface Place {
  /** Ids. */
  readonly locations: ReadonlySet<number>
  readonly networkZones: ReadonlySet<string>
}

/** A state that a driver has confirmed and that is still the newest: it must be on the hosts. */
export interface Wanted {
  readonly desired: Desired
  readonly row: DesiredRow
}

/** Servers hang on networks and volumes, and everything else on servers. */
const order: readonly string[] = ['network_state', 'volume_state', 'server_state']
const rankOf = ({ table }: Desired) => (order.includes(table) ? order.indexOf(table) : order.length)

/** What is wanted at a place, of the kinds that a survey tells of, in the order in which it is made. */
export async function wantedAt(query: Queries, place: Place, { inForce }: Survey): Promise<Wanted[]> {
  const kept = families.flatMap(({ desired }) => desired).filter(({ table }) => inForce.has(table))
  const locations = [...place.locations]
  const here: Readonly<Record<string, ReadonlySet<number>>> = {
    server: await serversAt(query, locations),
    volume: await volumesAt(query, locations),
    network: await networksIn(query, place.networkZones),
  }
  const found: Wanted[] = []
  for (const desired of kept.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    for (const row of await desired.across(query)) {
      const isConfirmed = row.generation === row.generation_in_force
      if (isConfirmed && here[desired.target]?.has(row.id)) found.push({ desired, row })
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

/** The ids of everything of a kind that the database has, or still has to remove. */
export function knownIds(query: Queries, kind: Kind): Promise<ReadonlySet<number>> {
  return idsIn(query, knownIn[kind])
}
