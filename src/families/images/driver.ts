/** What images need from the infrastructure. */
import type { Report } from '../../kernel/actions/define.ts'
import type { ServerState } from '../servers/driver.ts'

export interface ImageRef {
  readonly imageId: number
  /** The server whose disk it is a copy of; the server may be gone. */
  readonly serverId: number
  /** The id of the location of the server; null when it is gone. */
  readonly location: number | null
}

/** A copy that is wanted. */
export interface Capture {
  readonly imageId: number
  /** The server whose disk is copied, as it is wanted: a driver that has lost it makes it again. */
  readonly server: ServerState
}

export interface ImageDriver {
  /** Copies the disk of a server and returns how large the copy is, in MB. Repeating it changes nothing. */
  capture(capture: Capture, report?: Report): Promise<number>
  /** Removes the copy; succeeds when there is none. A capture that comes later has no effect. */
  remove(image: ImageRef): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface MachineDrivers {
    images: ImageDriver
  }
}
