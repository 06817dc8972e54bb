/** The pages of firewalls, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { type Asked, inProject, loadList, loadOne } from '../../routes/frame.ts'
import { listSearch } from '../../ui/use-list.ts'
import { newFirewallSearch } from './search.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/firewalls',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'firewalls_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'FirewallsPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/firewalls/new',
  validateSearch: newFirewallSearch,
  loader: loadRules,
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewFirewallPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/firewalls/$id/{-$tab}',
  loader: (asked) => Promise.all([loadOne(asked, 'firewalls_get'), loadRules(asked)]),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'FirewallPage'),
})

export const entry = {
  label: { en: 'Firewalls', de: 'Firewalls' },
  icon: 'firewall',
  place: 20,
  keys: 'G F',
  routes: { list, create, one },
  tab: 'rules',
} as const satisfies Entry

/** Loads what pages with rules need: all firewalls, and the servers whose names stand for addresses. */
function loadRules(asked: Asked) {
  return Promise.all([loadList(asked, 'firewalls_list'), loadList(asked, 'servers_list')])
}
