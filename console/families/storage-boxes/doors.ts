/** Where accounts of Storage Boxes get in. */
import type { Box, Subaccount } from './box.ts'

/** An account that programs sign in with, and where. */
export interface Way {
  readonly user: string
  readonly host: string
  readonly sshPort: number
  /** The address of its root, without a slash at its end. */
  readonly webdav: string
}

/** The usual ports of the doors. */
const sshPort = 23
const webdavPort = 8023

/** How an account gets in; undefined while its box is being made. */
export function wayOf({ username, server }: Pick<Box | Subaccount, 'username' | 'server'>): Way | undefined {
  if (username === null || server === null) return undefined
  return { user: username, host: server, sshPort, webdav: `http://${server}:${webdavPort}` }
}
