/** What the zones above those of the installation say of them. */

export type DelegationStatus = 'valid' | 'partially-valid' | 'invalid' | 'lame' | 'unregistered' | 'unknown'

/** The answer of the parent of a zone. */
export interface FoundDelegation {
  /** The name servers to which the parent delegates the zone, absolute with a trailing dot. */
  readonly delegated: readonly string[]
  readonly status: Exclude<DelegationStatus, 'unknown'>
}

/** A zone with the name servers that it should have. */
export interface AssignedZone {
  readonly id: number
  readonly name: string
  /** Absolute with a trailing dot. */
  readonly assigned: readonly string[]
}

/** The DS records that a parent has of a zone. */
export interface ParentDs {
  /** Their data. */
  readonly ds: readonly Buffer[]
  /** How long others may remember them, and probably those before, in milliseconds; undefined where there are none. */
  readonly ttlMs: number | undefined
}

export interface ZonesDriver {
  /**
   * Asks the parent of a zone, and then those of the assigned name servers that it names; missing where parents are not asked.
   * Errors: a transient `DriverError` when the parent does not answer.
   */
  delegationOf?(zone: AssignedZone): Promise<FoundDelegation>
  /**
   * Asks all name servers of the parent of a zone for its DS records; missing where parents are not asked. Errors: a transient
   * `DriverError` when nobody answers, or not all say the same.
   */
  dsOf?(zone: string): Promise<ParentDs>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    zones: ZonesDriver
  }
}
