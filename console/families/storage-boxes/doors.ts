/** Accounts of Storage Boxes get in by doors. */
import type { ReplyFor } from '../../api/operations.ts'
import type { Box, Subaccount } from './box.ts'
import type { Way } from './clients.ts'

export type Doors = Pick<ReplyFor<'storage_boxes_getDoors'>['doors'], 'ssh' | 'webdav'>

/** The ports of doors that are closed, as they usually are. */
const usual = { ssh: '23', webdav: '8023' }

/**
 * Finds a door for somebody who knows an account by its host name. A door that only this machine reaches is there by its own
 * address, which no name leads to.
 */
function placeOf(opened: string | null, server: string, usualPort: string) {
  const [, host = '', port = usualPort] = /^(.*):(\d+)$/.exec(opened ?? '') ?? []
  return { host: /^(127\.|localhost$|\[::1\]$)/.test(host) ? host : server, port }
}

/** Says how an account gets in; returns undefined while its box is being made. */
export function wayOf(
  { username, server }: Pick<Box | Subaccount, 'username' | 'server'>,
  doors: Doors,
): Way | undefined {
  if (username === null || server === null) return undefined
  const webdav = placeOf(doors.webdav, server, usual.webdav)
  return {
    user: username,
    ssh: placeOf(doors.ssh, server, usual.ssh),
    webdav: `http://${webdav.host}:${webdav.port}`,
  }
}
