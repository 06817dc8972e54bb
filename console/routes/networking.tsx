/** The pages of what connects servers: firewalls, addresses, Load Balancers and networks. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { newFirewallSearch } from '../families/firewalls/search.ts'
import { reachSearch } from '../pages/reach/search.ts'
import { resourceSearch } from '../pages/shared/search.ts'
import { listSearch } from '../ui/use-list.ts'
import { type Asked, inProject, loadList, loadOne } from './frame.tsx'

const firewalls = createRoute({
  getParentRoute: inProject,
  path: '/firewalls',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'firewalls_list'),
  component: lazyRouteComponent(() => import('../families/firewalls/list.tsx'), 'FirewallsPage'),
})

const newFirewall = createRoute({
  getParentRoute: inProject,
  path: '/firewalls/new',
  validateSearch: newFirewallSearch,
  loader: loadRules,
  component: lazyRouteComponent(() => import('../families/firewalls/new.tsx'), 'NewFirewallPage'),
})

const firewall = createRoute({
  getParentRoute: inProject,
  path: '/firewalls/$id/{-$tab}',
  loader: (asked) => Promise.all([loadOne(asked, 'firewalls_get'), loadRules(asked)]),
  component: lazyRouteComponent(() => import('../families/firewalls/detail.tsx'), 'FirewallPage'),
})

const reach = createRoute({
  getParentRoute: inProject,
  path: '/reach',
  validateSearch: reachSearch,
  loader: loadRules,
  component: lazyRouteComponent(() => import('../pages/reach/page.tsx'), 'ReachPage'),
})

const floatingIps = createRoute({
  getParentRoute: inProject,
  path: '/floating-ips',
  validateSearch: listSearch,
  loader: (asked) => loadAddresses(asked, 'floating_ips_list'),
  component: lazyRouteComponent(() => import('../families/addresses/list.tsx'), 'FloatingIpsPage'),
})

const primaryIps = createRoute({
  getParentRoute: inProject,
  path: '/primary-ips',
  validateSearch: listSearch,
  loader: (asked) => loadAddresses(asked, 'primary_ips_list'),
  component: lazyRouteComponent(() => import('../families/addresses/list.tsx'), 'PrimaryIpsPage'),
})

const balancers = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'load_balancers_list'),
  component: lazyRouteComponent(() => import('../families/load-balancers/list.tsx'), 'BalancersPage'),
})

const newBalancer = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers/new',
  component: lazyRouteComponent(() => import('../families/load-balancers/new.tsx'), 'NewBalancerPage'),
})

const balancer = createRoute({
  getParentRoute: inProject,
  path: '/load-balancers/$id/{-$tab}',
  loader: (asked) => loadOne(asked, 'load_balancers_get'),
  component: lazyRouteComponent(() => import('../families/load-balancers/detail.tsx'), 'BalancerPage'),
})

const networks = createRoute({
  getParentRoute: inProject,
  path: '/networks',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'networks_list'),
  component: lazyRouteComponent(() => import('../families/networks/list.tsx'), 'NetworksPage'),
})

const newNetwork = createRoute({
  getParentRoute: inProject,
  path: '/networks/new',
  component: lazyRouteComponent(() => import('../families/networks/new.tsx'), 'NewNetworkPage'),
})

const network = createRoute({
  getParentRoute: inProject,
  path: '/networks/$id',
  loader: (asked) => loadOne(asked, 'networks_get'),
  component: lazyRouteComponent(() => import('../families/networks/detail.tsx'), 'NetworkPage'),
})

export const networkingPages = [
  firewalls,
  newFirewall,
  firewall,
  reach,
  floatingIps,
  primaryIps,
  balancers,
  newBalancer,
  balancer,
  networks,
  newNetwork,
  network,
] as const

/** Addresses, and the servers that they lead to. */
function loadAddresses(asked: Asked, list: 'floating_ips_list' | 'primary_ips_list') {
  return Promise.all([loadList(asked, list), loadList(asked, 'servers_list')])
}

/** What pages with rules need: all firewalls, and the servers whose names stand for addresses. */
function loadRules(asked: Asked) {
  return Promise.all([loadList(asked, 'firewalls_list'), loadList(asked, 'servers_list')])
}
