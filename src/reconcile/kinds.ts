/**
 * All that a reconciler knows of each kind of thing. Two lists say what it compares: a driver of machines or a desired state
 * that is in neither of them does not compile.
 */
import { balancersAt } from '../families/load-balancers/host.ts'
import { networksIn } from '../families/networks/host.ts'
import { serversAt } from '../families/servers/host.ts'
import { volumesAt } from '../families/volumes/host.ts'
import type { MachineDrivers } from '../kernel/actions/define.ts'
import type { Queries } from '../kernel/data/db.ts'
import type { TenantTable } from '../kernel/data/scoped.ts'
import type { DesiredTable } from '../kernel/resource/desired.ts'

/**
 * The kind of thing that each driver makes on hosts under marks of its own, by which it is found when nobody wants it. Null
 * stands for a driver that only changes what others have made.
 */
export const marked = {
  servers: 'server',
  volumes: 'volume',
  networks: 'network',
  images: 'image',
  loadBalancers: 'load_balancer',
  interfaces: null,
  firewalls: null,
  routing: null,
  console: null,
  metadata: null,
} as const satisfies Readonly<Record<keyof MachineDrivers, string | null>>

export type Kind = NonNullable<(typeof marked)[keyof MachineDrivers]>

/**
 * The kind of thing that each desired state is about, in the order in which states are handed over: servers hang on networks
 * and volumes, and everything else on servers. Null stands for a state of which hosts have nothing.
 */
export const subjects = {
  network_state: 'network',
  volume_state: 'volume',
  server_state: 'server',
  firewall_filter: 'server',
  floating_ip_routing: 'server',
  network_interfaces: 'server',
  volume_attachment: 'server',
  load_balancer_state: 'load_balancer',
  storage_box_state: null,
} as const satisfies Readonly<Record<DesiredTable, Kind | null>>

/** A desired state that hosts have. */
export type State = { [T in DesiredTable]: (typeof subjects)[T] extends null ? never : T }[DesiredTable]

/** The desired states that hosts have, each with what it is about, in that order. */
export const statesOfHosts = Object.entries(subjects).filter(([, subject]) => subject !== null) as [State, Subject][]

/** The kinds that desired states are about. */
export type Subject = (typeof subjects)[State]

/** The place of hosts. */
export interface Place {
  /** Ids. */
  readonly locations: ReadonlySet<number>
  readonly networkZones: ReadonlySet<string>
}

interface KnownKind {
  /** The tables in which it may still be known: what is deleted stays known until the hosts have removed it. */
  readonly tables: readonly TenantTable[]
  /** Removes one from hosts, whoever wanted it and wherever it is. Errors: `DriverError`. */
  readonly remove: (machines: MachineDrivers, id: number, generation: number) => Promise<void>
}

interface WantedKind extends KnownKind {
  /** Finds the ids of everything of the kind that the database has at a place. Errors: those of the database. */
  readonly idsAt: (query: Queries, place: Place) => Promise<ReadonlySet<number>>
}

export const kinds: Readonly<Record<Kind, KnownKind> & Record<Subject, WantedKind>> = {
  network: {
    tables: ['network', 'network_state'],
    remove: ({ networks }, id, generation) => networks.apply({ id, generation, shape: null }),
    idsAt: (query, { networkZones }) => networksIn(query, networkZones),
  },
  volume: {
    tables: ['volume', 'volume_state'],
    remove: ({ volumes }, id, generation) => volumes.remove(id, generation),
    idsAt: (query, { locations }) => volumesAt(query, [...locations]),
  },
  server: {
    tables: ['server', 'server_state'],
    remove: ({ servers }, id, generation) => servers.remove(id, generation, null),
    idsAt: (query, { locations }) => serversAt(query, [...locations]),
  },
  load_balancer: {
    tables: ['load_balancer', 'load_balancer_state'],
    remove: ({ loadBalancers }, id) => loadBalancers.remove(id, null),
    idsAt: (query, { locations }) => balancersAt(query, [...locations]),
  },
  image: {
    tables: ['image', 'image_removal'],
    remove: ({ images }, imageId) => images.remove({ imageId, serverId: 0, location: null }),
  },
}
