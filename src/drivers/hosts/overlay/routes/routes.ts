/**
 * Routes on a logical router, each of which belongs to a server or a network. There is never more than one for a
 * destination of the same router: OVN would send some packets by each.
 */
import type { Outcomes } from '../../../../protocols/ovsdb/database.ts'
import {
  atomsOf,
  called,
  entriesOf,
  identified,
  map,
  marked,
  set,
  type Texts,
  uuid,
} from '../../../../protocols/ovsdb/rows.ts'
import { sameTexts } from '../groups/groups.ts'
import { type Logical, sourceSet } from '../logical.ts'
import { type Northbound, type NorthboundChange, type NorthboundRow, select, type Tables } from '../northbound.ts'

interface Route {
  readonly id: string
  readonly destination: string
  readonly nexthop: string
  readonly outputPort: string
  /** True when it is for these destinations alone, and for all sources. */
  readonly isPlain: boolean
  readonly marks: Texts
}

/** The routes that one owner wants of a router. */
export interface WantedRoutes {
  readonly owner: string
  /** Next hops by destination, in CIDR notation. */
  readonly routes: ReadonlyMap<string, string>
  /** Destinations that it may have besides, and shall not. */
  readonly former: readonly string[]
  /** True when it takes what others have. */
  readonly takes: boolean
}

const table = 'Logical_Router_Static_Route'
const columns = ['_uuid', 'ip_prefix', 'nexthop', 'output_port', 'policy', 'route_table', 'external_ids'] as const

/** Operations that read all routes, and the sources that routers know. */
export const readAllRoutes = [select(table, [], columns), select('Address_Set', [], ['name', 'addresses'])] as const

/** The destinations that lead to each owner as it was written, from the outcomes of `readAllRoutes`. */
export function toIntactRoutes([routes, sets]: Outcomes<typeof readAllRoutes>): ReadonlyMap<
  string,
  ReadonlySet<string>
> {
  const sources = new Map((sets.rows ?? []).map((row) => [row.name, new Set(atomsOf(row.addresses))]))
  const intact = new Map<string, Set<string>>()
  for (const route of (routes.rows ?? []).map(toRoute)) {
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

/** The result of a wish for routes. */
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
  database: Northbound,
  change: NorthboundChange,
  logical: Logical,
  wanted: WantedRoutes,
): Promise<RouteChanges> {
  const destinations = [...new Set([...wanted.routes.keys(), ...wanted.former])]
  const reads = destinations.map((destination) => readRoutes(logical, destination))
  const sources = destinations.map((destination) => readSource(logical, destination))
  const outcomes = await database.transact([...reads, ...sources])
  const found = outcomes.slice(0, reads.length) as Outcomes<typeof reads>
  const losses = new Map<string, string[]>()
  const refused = new Set<string>()
  for (const [index, destination] of destinations.entries()) {
    const rows = (found[index]?.rows ?? []).map(toRoute)
    const isSource = outcomes[reads.length + index]?.rows?.length === 1
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

/** Reads the routes to a destination. */
const readRoutes = (logical: Logical, destination: string) =>
  select(table, [marked(marksOf(logical, destination))], columns)

/** Reads a destination as a source, if the router knows it as one. */
const readSource = ({ router }: Logical, destination: string) =>
  select('Address_Set', [called(sourceSet(router, destination)), ['addresses', 'includes', destination]], ['name'])

interface WantedRoute {
  readonly destination: string
  readonly nexthop: string
  readonly owner: string
  /** The routes that there are to the destination. */
  readonly rows: readonly Route[]
  readonly isSource: boolean
}

function putRoute(change: NorthboundChange, logical: Logical, wanted: WantedRoute): void {
  const { destination, nexthop, owner, rows, isSource } = wanted
  const [first, ...surplus] = rows
  const hop = { nexthop, outputPort: logical.routerPort }
  const marks = { wolke: owner, ...marksOf(logical, destination), hop: hopOf(hop) }
  const isSame = first && sameTexts(first.marks, marks) && isAsMarked(first) && surplus.length === 0
  if (isSame && isSource) return
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, surplus)
  const row = toRow({ destination, ...hop, marks })
  if (first) change.update(table, [identified(first.id)], row)
  else change.amend('Logical_Router', logical.router, 'static_routes', 'insert', [change.insert(table, row)])
  // Incus lets the router drop what comes from sources that it does not know.
  change.amend('Address_Set', sourceSet(logical.router, destination), 'addresses', 'insert', [destination])
}

const hopOf = ({ nexthop, outputPort }: Pick<Route, 'nexthop' | 'outputPort'>) => `${nexthop} ${outputPort}`

/** Tells whether nobody else has changed where a route leads. */
function isAsMarked(route: Route): boolean {
  const { destination, hop } = route.marks
  return route.isPlain && route.destination === destination && hopOf(route) === hop
}

function removeRoute(change: NorthboundChange, logical: Logical, destination: string, rows: readonly Route[]): void {
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, rows)
  change.amend('Address_Set', sourceSet(logical.router, destination), 'addresses', 'delete', [destination])
}

/** Gives up when the marks are others than when they were read. */
function expectRoutes(change: NorthboundChange, logical: Logical, destination: string, rows: readonly Route[]): void {
  const expected = rows.map(({ id, marks }) => ({ _uuid: uuid(id), external_ids: map(marks) }))
  change.expect(table, [marked(marksOf(logical, destination))], ['_uuid', 'external_ids'], expected)
}

function detach(change: NorthboundChange, { router }: Logical, routes: readonly Route[]): void {
  const ids = routes.map(({ id }) => uuid(id))
  change.amend('Logical_Router', router, 'static_routes', 'delete', ids)
}

function toRoute(row: Pick<NorthboundRow<typeof table>, (typeof columns)[number]>): Route {
  return {
    id: row._uuid[1],
    destination: row.ip_prefix,
    nexthop: row.nexthop,
    outputPort: atomsOf(row.output_port).join(),
    isPlain: atomsOf(row.policy).join() !== 'src-ip' && row.route_table === '',
    marks: entriesOf(row.external_ids),
  }
}

function toRow({ destination, nexthop, outputPort, marks }: Omit<Route, 'id' | 'isPlain'>): Tables[typeof table] {
  const plain = { policy: set([]), route_table: '' }
  return { ip_prefix: destination, nexthop, output_port: outputPort, ...plain, external_ids: map(marks) }
}
