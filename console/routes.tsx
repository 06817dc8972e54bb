/**
 * All pages: the one place to add one. A page is a route with a lazy component, what it loads first, and, if it has a
 * place in the navigation, an entry below.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { apiOf } from './api/api.ts'
import { projectsQuery, whoamiQuery } from './api/session.ts'
import { newFirewallSearch } from './pages/firewalls/search.ts'
import { reachSearch } from './pages/reach/search.ts'
import { newServerData, newServerSearch, serversSearch } from './pages/servers/search.ts'
import { defineNavigation } from './shell/navigation.ts'
import { Root } from './shell/root.tsx'
import { listSearch } from './ui/use-list.ts'
import { shell } from './words/en/shell.ts'
import { wordsOf } from './words/words.ts'

const w = wordsOf('shell', shell).navigation

const root = createRootRouteWithContext<{ readonly cache: QueryClient }>()({
  component: Root,
  loader: ({ context: { cache } }) =>
    Promise.all([cache.ensureQueryData(whoamiQuery), cache.ensureQueryData(projectsQuery)]),
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home/projects.tsx'), 'ProjectsPage'),
})

// ---- Pages of a Project ----------------------------------------------------------------------------------------------

const project = createRoute({ getParentRoute: () => root, path: '/projects/$project' })

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
})

export const serversRoute = createRoute({
  getParentRoute: () => project,
  path: '/servers',
  validateSearch: serversSearch,
  loader: ({ context: { cache }, params }) =>
    cache.ensureQueryData(apiOf(Number(params.project)).list('servers_list', {})),
  component: lazyRouteComponent(() => import('./pages/servers/list.tsx'), 'ServersPage'),
})

const newServer = createRoute({
  getParentRoute: () => project,
  path: '/servers/new',
  validateSearch: newServerSearch,
  loader: ({ context: { cache }, params }) =>
    Promise.all(newServerData(apiOf(Number(params.project))).map((one) => cache.ensureQueryData(one as never))),
  component: lazyRouteComponent(() => import('./pages/servers/new.tsx'), 'NewServerPage'),
})

const server = createRoute({
  getParentRoute: () => project,
  path: '/servers/$id/{-$tab}',
  loader: ({ context: { cache }, params }) =>
    cache.ensureQueryData(apiOf(Number(params.project)).query('servers_get', { params: { id: Number(params.id) } })),
  component: lazyRouteComponent(() => import('./pages/servers/detail.tsx'), 'ServerPage'),
})

const firewalls = createRoute({
  getParentRoute: () => project,
  path: '/firewalls',
  validateSearch: listSearch,
  loader: ({ context: { cache }, params }) =>
    cache.ensureQueryData(apiOf(Number(params.project)).list('firewalls_list', {})),
  component: lazyRouteComponent(() => import('./pages/firewalls/list.tsx'), 'FirewallsPage'),
})

const newFirewall = createRoute({
  getParentRoute: () => project,
  path: '/firewalls/new',
  validateSearch: newFirewallSearch,
  loader: ({ context: { cache }, params }) => loadRules(cache, params.project),
  component: lazyRouteComponent(() => import('./pages/firewalls/new.tsx'), 'NewFirewallPage'),
})

const firewall = createRoute({
  getParentRoute: () => project,
  path: '/firewalls/$id/{-$tab}',
  loader: ({ context: { cache }, params }) =>
    Promise.all([
      cache.ensureQueryData(
        apiOf(Number(params.project)).query('firewalls_get', { params: { id: Number(params.id) } }),
      ),
      loadRules(cache, params.project),
    ]),
  component: lazyRouteComponent(() => import('./pages/firewalls/detail.tsx'), 'FirewallPage'),
})

const reach = createRoute({
  getParentRoute: () => project,
  path: '/reach',
  validateSearch: reachSearch,
  loader: ({ context: { cache }, params }) => loadRules(cache, params.project),
  component: lazyRouteComponent(() => import('./pages/reach/page.tsx'), 'ReachPage'),
})

/** What pages with rules need: all firewalls, and the servers whose names stand for addresses. */
function loadRules(cache: QueryClient, id: string) {
  const api = apiOf(Number(id))
  return Promise.all([
    cache.ensureQueryData(api.list('firewalls_list', {})),
    cache.ensureQueryData(api.list('servers_list', {})),
  ])
}

export const routeTree = root.addChildren([
  home,
  project.addChildren([overview, serversRoute, newServer, server, firewalls, newFirewall, firewall, reach]),
])

// ---- Navigation ------------------------------------------------------------------------------------------------------

defineNavigation([
  {
    entries: [
      { to: '/projects/$project', label: w.overview, icon: 'overview', keys: 'G O' },
      { to: '/projects/$project/servers', label: w.servers, icon: 'server', counts: 'servers_list', keys: 'G S' },
      {
        to: '/projects/$project/firewalls',
        label: w.firewalls,
        icon: 'firewall',
        counts: 'firewalls_list',
        keys: 'G F',
      },
      { to: '/projects/$project/reach', label: w.reach, icon: 'eye', keys: 'G W' },
    ],
  },
])
