/** What servers need from the infrastructure. */
import type { Report } from '../../kernel/actions/define.ts'

/** The whole desired state of one server. A driver ignores a generation older than the last one it saw. */
export interface ServerState {
  readonly id: number
  readonly generation: number
  /** The id of its location, which never changes. */
  readonly location: number
  readonly name: string
  /** These change while the server is off; the disk only grows. */
  readonly cores: number
  readonly memoryMb: number
  readonly diskGb: number
  readonly image: number | null
  /** Id of the last action that asked for a new disk. A driver writes the image to the disk anew when it is another one. */
  readonly installation: number | null
  /** Id of the ISO in its drive, from which it boots before its disk; null when the drive is empty. */
  readonly iso: number | null
  readonly userData: string | null
  /** Public keys that may log in as root. */
  readonly sshKeys: readonly string[]
  /** In the form of crypt(5), as guests keep it. */
  readonly rootPasswordHash: string | null
  /** Id of the last action that asked for a new root password. A driver sets it in the guest once for each id. */
  readonly passwordReset: number | null
  /** The system that the next boot goes to instead of the disk, once; null for the disk. It starts no boot itself. */
  readonly rescue: { readonly sshKeys: readonly string[]; readonly rootPasswordHash: string } | null
  readonly power: 'on' | 'off'
  /** How to get there: ask the guest, or pull the plug. */
  readonly manner: 'guest' | 'hard'
  /** Id of the last action that asked for a restart. A driver restarts once for each id that it has not seen. */
  readonly cycle: number | null
  readonly ipv4: string | null
  /** A /64 network. */
  readonly ipv6: string | null
  /** The servers of one placement group run on different hosts. */
  readonly placementGroup: number | null
}

/** A server whose measurements are asked for. */
export interface Measured {
  readonly id: number
  /** The id of its location. */
  readonly location: number
  readonly cores: number
  readonly created: string
  readonly power: 'on' | 'off'
}

export interface ServerDriver {
  /**
   * Whether it sees, at a location, what other processes have handed over, and what this one did before it was started
   * again.
   */
  remembers(location: number): Promise<boolean>
  /** Makes the server be as described; creates it when there is none. Repeating it changes nothing. */
  apply(state: ServerState, report?: Report): Promise<void>
  /**
   * Removes the server, its packet filter and the routes to it; succeeds when there is none. Only a newer generation brings
   * it back. The location is null when nobody knows any more where it was.
   */
  remove(id: number, generation: number, location: number | null): Promise<void>
  /** What was measured of a series at some moments (seconds since the epoch); moments without a value are missing. */
  measure(server: Measured, series: string, moments: readonly number[]): Promise<ReadonlyMap<number, number>>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    servers: ServerDriver
  }
}
