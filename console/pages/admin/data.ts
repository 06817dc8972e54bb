/** The data that the pages of the installation show first. */
import type { QueryClient } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import type { AdminTab } from './frame.tsx'

const api = apiOf(undefined)

const queries: Partial<Record<AdminTab, (cache: QueryClient) => Promise<unknown>>> = {
  people: (cache) => cache.ensureQueryData(api.query('people_people', {})),
  projects: (cache) => cache.ensureQueryData(api.list('management_listInstalledProjects', {})),
  health: (cache) => cache.ensureQueryData(api.query('management_getHealth', {})),
  status: (cache) => cache.ensureQueryData(api.query('management_getStatus', {})),
  options: (cache) => cache.ensureQueryData(api.query('management_listOptions', {})),
}

/** Asks for it while the page itself is loaded. */
export function loadAdmin(cache: QueryClient, tab = 'people'): Promise<unknown> | undefined {
  return Object.hasOwn(queries, tab) ? queries[tab as AdminTab]?.(cache) : undefined
}
