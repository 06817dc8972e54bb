/**
 * Routes on a logical router, each of which belongs to a server or a network. There is never more than one for a
 * destination of the same router: OVN would send some packets by each.
 */
import type { Change } from './change.ts'
import type { Database } from './database.ts'
import { type Logical, sourceSet } from './logical.ts'
import { entriesOf, idsOf, map, marked, type Row, type Texts, uuid } from './rows.ts'

interface Route {
  readonly id: string
  readonly destination: string
  readonly nexthop: string
  readonly outputPort: string
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
const columns = ['_uuid', 'ip_prefix', 'nexthop', 'output_port', 'external_ids']

/** What there is of routes with certain marks. */
export async function findRoutes(database: Database, marks: Texts): Promise<Route[]> {
  return (await database.select(table, [marked(marks)], columns)).map(toRoute)
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
  const found = await database.transact(
    destinations.map((destination) => ({
      op: 'select',
      table,
      where: [marked(marksOf(logical, destination))],
      columns,
    })),
  )
  const losses = new Map<string, string[]>()
  const refused = new Set<string>()
  for (const [index, destination] of destinations.entries()) {
    const rows = (found[index]?.rows ?? []).map(toRoute)
    const nexthop = wanted.routes.get(destination)
    const holder = rows[0]?.marks.wolke
    const isElsewhere = holder !== undefined && holder !== wanted.owner
    if (nexthop === undefined) {
      if (holder === wanted.owner) removeRoute(change, logical, destination, rows)
    } else if (isElsewhere && !wanted.takes) refused.add(destination)
    else {
      if (isElsewhere) losses.set(holder, [...(losses.get(holder) ?? []), destination])
      putRoute(change, logical, { destination, nexthop, owner: wanted.owner, rows })
    }
  }
  return { losses, refused }
}

interface WantedRoute {
  readonly destination: string
  readonly nexthop: string
  readonly owner: string
  /** What there is for the destination. */
  readonly rows: readonly Route[]
}

function putRoute(change: Change, logical: Logical, { destination, nexthop, owner, rows }: WantedRoute): void {
  const [first, ...surplus] = rows
  if (first && isSame(first, logical, nexthop, owner) && surplus.length === 0) return
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, surplus)
  const marks = { wolke: owner, ...marksOf(logical, destination) }
  const row = toRow({ destination, nexthop, outputPort: logical.routerPort, marks })
  if (first) change.update(table, [['_uuid', '==', uuid(first.id)]], row)
  else change.amend('Logical_Router', logical.router, 'static_routes', 'insert', [change.insert(table, row)])
  // Incus lets the router drop what comes from sources that it does not know.
  change.amend('Address_Set', sourceSet(logical, destination), 'addresses', 'insert', [destination])
}

function removeRoute(change: Change, logical: Logical, destination: string, rows: readonly Route[]): void {
  expectRoutes(change, logical, destination, rows)
  detach(change, logical, rows)
  change.amend('Address_Set', sourceSet(logical, destination), 'addresses', 'delete', [destination])
}

function expectRoutes(change: Change, logical: Logical, destination: string, rows: readonly Route[]): void {
  const expected = rows.map((route) => toRow(route, route.id))
  change.expect(table, [marked(marksOf(logical, destination))], columns, expected)
}

function isSame(route: Route, { routerPort }: Logical, nexthop: string, owner: string): boolean {
  return route.nexthop === nexthop && route.outputPort === routerPort && route.marks.wolke === owner
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
    outputPort: String(row.output_port),
    marks: entriesOf(row.external_ids),
  }
}

function toRow({ destination, nexthop, outputPort, marks }: Omit<Route, 'id'>, id?: string): Row {
  const row = { ip_prefix: destination, nexthop, output_port: outputPort, external_ids: map(marks) }
  return id === undefined ? row : { _uuid: uuid(id), ...row }
}
