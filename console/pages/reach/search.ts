/** The question in the address of "Who can reach what". */
import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/api.ts'

interface ReachSearch {
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly port?: string | undefined
}

export function reachSearch(search: Record<string, unknown>): ReachSearch {
  const text = (name: keyof ReachSearch) => {
    const value = search[name]
    const written = typeof value === 'number' ? String(value) : value
    return typeof written === 'string' && written !== '' ? { [name]: written } : {}
  }
  return { ...text('from'), ...text('to'), ...text('port') }
}

/** All firewalls, and the servers whose names stand for addresses. */
export function loadReach(cache: QueryClient, api: Api) {
  return Promise.all([
    cache.ensureQueryData(api.list('firewalls_list', {})),
    cache.ensureQueryData(api.list('servers_list', {})),
  ])
}
