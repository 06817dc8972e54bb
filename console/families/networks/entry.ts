/** The pages of networks, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/networks',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'networks_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'NetworksPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/networks/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewNetworkPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/networks/$id',
  loader: (asked) => loadOne(asked, 'networks_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'NetworkPage'),
})

export const entry = {
  label: { en: 'Networks', de: 'Netzwerke' },
  icon: 'network',
  place: 80,
  keys: 'G N',
  routes: { list, create, one },
} as const satisfies Entry
