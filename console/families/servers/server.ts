/** The type that the pages of servers share, how a state is seen, and what may be done in it. */

import type { ItemOf } from '../../api/api.ts'
import type { Mood } from '../../ui/state.tsx'

export type Server = ItemOf<'servers_list'>

const moods: Readonly<Record<Server['status'], Mood>> = {
  running: 'ok',
  off: 'off',
  unknown: 'unknown',
  initializing: 'busy',
  starting: 'busy',
  stopping: 'busy',
  deleting: 'busy',
  migrating: 'busy',
  rebuilding: 'busy',
}

export function moodOf({ status }: Server): Mood {
  return moods[status]
}

export function isAt(server: Server): string {
  return server.location?.name ?? ''
}

/** The groups of the list: what runs, what is off, and what asks for attention. */
export function groupOf({ status }: Server): 'running' | 'off' | 'attention' | 'moving' {
  if (status === 'running' || status === 'off') return status
  return status === 'unknown' ? 'attention' : 'moving'
}

export function addressesOf({ public_net: { ipv4, ipv6 } }: Server): readonly string[] {
  return [...(ipv4 ? [ipv4.ip] : []), ...(ipv6 ? [ipv6.ip] : [])]
}

/** Lists what a server is found by, besides its labels. */
export function textsOf(server: Server): readonly string[] {
  return [server.name, ...addressesOf(server)]
}
