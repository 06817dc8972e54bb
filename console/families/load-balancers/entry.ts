/** The pages of Load Balancers, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'
import { listSearch } from '../../ui/use-list.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'load_balancers_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'BalancersPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewBalancerPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers/$id/{-$tab}',
  loader: (asked) => loadOne(asked, 'load_balancers_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'BalancerPage'),
})

export const entry = {
  label: { en: 'Load Balancers', de: 'Load Balancer' },
  icon: 'balance',
  place: 60,
  keys: 'G L',
  routes: { list, create, one },
} as const satisfies Entry
