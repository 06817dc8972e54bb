/** What volumes need from the infrastructure. */
import type { Volume } from './domain.ts'

/** The whole desired state of one volume. A driver ignores an older generation. */
export interface VolumeState {
  readonly id: number
  readonly generation: number
  /** The id of its location. */
  readonly location: number
  /** Less than before only when a resize is taken back, whose space nobody was told of. */
  readonly sizeGb: number
  /** The file system that a new volume gets; null leaves it empty. */
  readonly format: Volume['format']
}

/** All volumes of one server: every other one is detached from it. A driver ignores an older generation. */
export interface AttachmentState {
  readonly serverId: number
  /** The id of the location of the server. */
  readonly location: number
  readonly generation: number
  readonly volumes: readonly { readonly id: number; readonly automount: boolean }[]
}

export interface VolumeDriver {
  /** Makes the volume be as described; creates it when there is none. Repeating it changes nothing. */
  apply(state: VolumeState): Promise<void>
  /**
   * Removes the volume with what is on it; succeeds when there is none. Only a newer generation brings it back. Wherever it
   * was: the one in the database is gone by then.
   */
  remove(id: number, generation: number): Promise<void>
  /** Makes exactly these volumes be attached to the server. Repeating it changes nothing. */
  attach(state: AttachmentState): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    volumes: VolumeDriver
  }
}
