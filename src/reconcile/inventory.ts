/** A reconciler asks this of hosts. */
import type { MachineDrivers } from '../kernel/actions/define.ts'
import type { Kind, Place, State } from './kinds.ts'

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
