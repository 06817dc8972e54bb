/** What images need from the infrastructure. */

export interface ImageRef {
  readonly imageId: number
  /** The server whose disk it is a copy of; the server may be gone. */
  readonly serverId: number
}

export interface ImageDriver {
  /** Copies the disk of a server and returns how large the copy is, in MB. Repeating it changes nothing. */
  capture(image: ImageRef): Promise<number>
  /** Removes the copy; succeeds when there is none. A capture that comes later has no effect. */
  remove(image: ImageRef): Promise<void>
}

declare module '../../kernel/actions/define.ts' {
  interface Drivers {
    images: ImageDriver
  }
}
