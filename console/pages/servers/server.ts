/** What the pages of servers share: the type, how a state is seen, and what may be done in it. */

import { matches, parseSelector } from '../../../src/kernel/contract/selectors.ts'
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

interface Filter {
  readonly keeps: (server: Server) => boolean
  /** Why the text is no selector, in the words of the API. */
  readonly problem?: string
}

/** What a filter keeps: a label selector as the API reads it, or a part of a name, an address or a label. */
export function filterOf(text: string): Filter {
  const asked = text.trim()
  if (asked === '') return { keeps: () => true }
  if (/[=!(),]| in /.test(asked)) {
    const result = parseSelector(asked)
    if (!result.ok) return { keeps: () => true, problem: result.message }
    return { keeps: ({ labels }) => matches(result.selector, labels) }
  }
  const wanted = asked.toLowerCase()
  return {
    keeps: (server) =>
      [server.name, ...addressesOf(server), ...Object.entries(server.labels).flat()].some((part) =>
        part.toLowerCase().includes(wanted),
      ),
  }
}
