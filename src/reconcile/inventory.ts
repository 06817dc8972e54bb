/**
 * A reconciler asks this of hosts; two lists say what it compares: a driver of machines or a desired state that is in
 * neither of them does not compile.
 */
import type { MachineDrivers } from '../kernel/actions/define.ts'
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
} as const satisfies Readonly<Record<DesiredTable, Kind | null>>

/** A desired state that hosts have. */
export type State = { [T in DesiredTable]: (typeof subjects)[T] extends null ? never : T }[DesiredTable]

/** The kinds that desired states are about. */
export type Subject = (typeof subjects)[State]

export interface Thing {
  readonly kind: Kind
  readonly id: number
  /** The newest one that it was changed under. */
  readonly generation: number
}

/**
 * The generation that hosts have of a target; `changed` when it is not as it was written under any, and `unknown` when it is
 * on a host that does not answer.
 */
export type Finding = number | 'changed' | 'unknown'

/** The findings about targets, by id. */
export type InForce = ReadonlyMap<number, Finding>

/** Everything that hosts have under marks of Wolke, whoever wants it. */
export interface Inventory {
  readonly things: readonly Thing[]
  readonly inForce: Readonly<Record<State, InForce>>
  /** Things that have a name of ours and no mark. */
  readonly unmarked: readonly Omit<Thing, 'generation'>[]
}

/** The place of hosts. */
export interface Place {
  /** Ids. */
  readonly locations: ReadonlySet<number>
  readonly networkZones: ReadonlySet<string>
}

/** Hosts that can be compared and changed. Errors of all methods: `DriverError`. */
export interface Reconcilable {
  readonly machines: MachineDrivers
  inventory(): Promise<Inventory>
  /** Asserts again what all servers need. */
  uphold(): Promise<void>
  /** The installation whose hosts these are; undefined before the first. */
  owner(): Promise<string | undefined>
  claim(installation: string): Promise<void>
  /** Gives something back the marks that it has lost. */
  remark(thing: Thing): Promise<void>
}

/** Hosts of one cluster, with the locations that are on them. */
export interface ReconciledHosts extends Reconcilable, Place {
  readonly name: string
}

/** Names a thing in texts, such as `load balancer 7`. */
export const nameOf = ({ kind, id }: Pick<Thing, 'kind' | 'id'>) => `${kind.replaceAll('_', ' ')} ${id}`
