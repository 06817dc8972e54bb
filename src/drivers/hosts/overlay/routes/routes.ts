/**
 * Routes on a logical router, each of which belongs to a server or a network. There is never more than one for a
 * destination of the same router: OVN would send some packets by each.
 */
import type { Change } from '../../../../protocols/ovsdb/change.ts'
import type { Database, Outcome } from '../../../../protocols/ovsdb/database.ts'
import {
  called,
  entriesOf,
  idsOf,
  map,
  marked,
  type Operation,
  type Row,
  set,
  type Texts,
  textsOf,
  uuid,
} from '../../../../protocols/ovsdb/rows.ts'
import { sameTexts } from '../groups/groups.ts'
import { type Logical, sourceSet } from '../logical.ts'

interface Route {
  readonly id: string
  readonly destination: string
  readonly nexthop: string
  readonly outputPort: string
  /** Whether it is for these destinations alone, and for all sources. */
  readonly isPlain: boolean
  readonly marks: Texts
}

/** What one owner wants of the routes of a router. */
export interface WantedRoutes {
  readonly owner: string
  /** Next hops by destination, in CIDR notation. */
  readonly routes: ReadonlyMap<string, string>
  /** What it may have besides, and shall not. */
  readonly former: readonly string[]
  /** Whether it takes what others have. */
  readonly takes: boolean
}

const table = 'Logical_Router_Static_Route'
const columns = ['_uuid', 'ip_prefix', 'nexthop', 'output_port', 'policy', 'route_table', 'external_ids']

/** Operations that read all routes, and the sources that routers know. */
export const readAllRoutes: readonly Operation[] = [
  { op: 'select', table, where: [], columns },
  { op: 'select', table: 'Address_Set', where: [], columns: ['name', 'addresses'] },
]

/** The destinations that lead to each owner as it was written, from the outcomes of `readAllRoutes`. */
export function toIntactRoutes([routes, sets]: readonly Outcome[]): ReadonlyMap<string, ReadonlySet<string>> {
  const sources = new Map((sets?.rows ?? []).map((row) => [String(row.name), new Set(textsOf(row.addresses))]))
  const intact = new Map<string, Set<string>>()
  for (const route of (routes?.rows ?? []).map(toRoute)) {
    const { wolke: owner, router, destination } = route.marks
    if (owner === undefined || router === undefined || destination === undefined || !isAsMarked(route)) continue
    if (sources.get(sourceSet(router, destination))?.has(destination)) {
      intact.set(owner, (intact.get(owner) ?? new Set()).add(destination))
    }
  }
  return intact
}

/** The marks of the only route to a destination. */
export const marksOf = ({ router }: Logical, destination: string): Texts => ({ router, destination })

/** What became of a wish for routes. */
export interface RouteChanges {
  /** Destinations that others had until now, by owner. */
  readonly losses: ReadonlyMap<string, readonly string[]>
  /** Destinations that others keep. */
  readonly refused: ReadonlySet<string>
}

/**
 * Gives an owner exactly the routes that it wants, by changing rows that are there rather than replacing them: no packet
 * finds no route.
 */
export async function putRoutes(
  database: Database,
  change: Change,
  logical: Logical,
  wanted: WantedRoutes,
): Promise<RouteChanges> {
  const destinations = [...new Set([...wanted.routes.keys(), ...wanted.former])]
  const found = await database.transact(destinations.flatMap((destination) => readRoute(logical, destination)))
  const losses = new Map<string, string[]>()
  const refused = new Set<string>()
  for (const [index, destination] of destinations.entries()) {
    const rows = (found[2 * index]?.rows ?? []).map(toRoute)
    const isSource = found[2 * index + 1]?.rows?.length === 1
    const nexthop = wanted.routes.get(destination)
    const holder = rows[0]?.marks.wolke
    const isElsewhere = holder !== undefined && holder !== wanted.owner
    if (nexthop === undefined) {
      if (holder === wanted.owner) removeRoute(change, logical, destination, rows)
    } else if (isElsewhere && !wanted.takes) refused.add(destination)
    else {
      if (isElsewhere) losses.set(holder, [...(losses.get(holder) ?? []), destination])
      putRoute(change, logical, { destination, nexthop, owner: wanted.owner, rows, isSource })
    }
  }
  return { losses, refused }
}

/** The routes to a destination, and its source if the router knows that. */
function readRoute(logical: Logical, destination: string): Operation[] {
  const isIncluded = ['addresses', 'includes', destination] as const
  const where = [called(sourceSet(logical.router, destination)), isIncluded]
  return [
    { op: 'select', table, where: [marked(marksOf(logical, destination))], columns },
    { op: 'select', table: 'Address_Set', where, columns: ['name'] },
  ]
}

interface WantedRoute {
  readonly destination: string
  readonly nexthop: string
  readonly owner: string
  /** What there is for the destination. */
  readonly rows: readonly Route[]
  readonly isSource: boolean
}

function putRoute(change: Change, logical: Logical, wanted: WantedRoute): void {
  const { destination, nexthop, owner, rows, isSource } = wanted
  const [first, ...surplus] = rows
  const hop = { nexthop, outputPort: logical.routerPort }
  const marks = { wolke: owner, ...marksOf(logical, destination), hop: hopOf(hop) }
  const isSame = first && sameTexts(first.marks, marks) && isAsMarked(first) && surplus.length === 0
  if (isSame && isSource) return
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, surplus)
  const row = toRow({ destination, ...hop, marks })
  if (first) change.update(table, [['_uuid', '==', uuid(first.id)]], row)
  else change.amend('Logical_Router', logical.router, 'static_routes', 'insert', [change.insert(table, row)])
  // Incus lets the router drop what comes from sources that it does not know.
  change.amend('Address_Set', sourceSet(logical.router, destination), 'addresses', 'insert', [destination])
}

const hopOf = ({ nexthop, outputPort }: Pick<Route, 'nexthop' | 'outputPort'>) => `${nexthop} ${outputPort}`

/** Whether nobody else has changed where a route leads. */
function isAsMarked(route: Route): boolean {
  const { destination, hop } = route.marks
  return route.isPlain && route.destination === destination && hopOf(route) === hop
}

function removeRoute(change: Change, logical: Logical, destination: string, rows: readonly Route[]): void {
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, rows)
  change.amend('Address_Set', sourceSet(logical.router, destination), 'addresses', 'delete', [destination])
}

/** Gives up when the marks are others than when they were read. */
function expectRoutes(change: Change, logical: Logical, destination: string, rows: readonly Route[]): void {
  const expected = rows.map(({ id, marks }) => ({ _uuid: uuid(id), external_ids: map(marks) }))
  change.expect(table, [marked(marksOf(logical, destination))], ['_uuid', 'external_ids'], expected)
}

function detach(change: Change, { router }: Logical, routes: readonly Route[]): void {
  const ids = routes.map(({ id }) => uuid(id))
  change.amend('Logical_Router', router, 'static_routes', 'delete', ids)
}

function toRoute(row: Row): Route {
  return {
    id: idsOf(row._uuid)[0]!,
    destination: String(row.ip_prefix),
    nexthop: String(row.nexthop),
    outputPort: textsOf(row.output_port).join(),
    isPlain: textsOf(row.policy).join() !== 'src-ip' && String(row.route_table) === '',
    marks: entriesOf(row.external_ids),
  }
}

function toRow({ destination, nexthop, outputPort, marks }: Omit<Route, 'id' | 'isPlain'>): Row {
  const plain = { policy: set([]), route_table: '' }
  return { ip_prefix: destination, nexthop, output_port: outputPort, ...plain, external_ids: map(marks) }
}
