/** The pages of servers, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { apiIn, inProject, loadOne } from '../../routes/frame.ts'
import { loadServers, newServerSearch, serversSearch } from './search.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/servers',
  validateSearch: serversSearch,
  loader: (asked) => loadServers(asked.context.cache, apiIn(asked)),
  component: lazyRouteComponent(() => import('./list.tsx'), 'ServersPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/servers/new',
  validateSearch: newServerSearch,
  loader: async (asked) => {
    const { loadNewServer } = await import('./new-data.ts')
    return loadNewServer(asked.context.cache, apiIn(asked))
  },
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewServerPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/servers/$id/{-$tab}',
  loader: (asked) => loadOne(asked, 'servers_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'ServerPage'),
})

export const entry = {
  label: { en: 'Servers', de: 'Server' },
  icon: 'server',
  place: 10,
  keys: 'G S',
  routes: { list, create, one },
} as const satisfies Entry
