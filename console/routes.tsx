/**
 * All pages: the one place to add one. A page is a route with a lazy component, what it loads first, and, if it has a
 * place in the navigation, an entry below.
 */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router'
import { apiOf } from './api/api.ts'
import type { InputOf, OperationId } from './api/operations.ts'
import { projectsQuery, whoamiQuery } from './api/session.ts'
import { activitySearch, auditSearch } from './pages/activity/search.ts'
import { certificatesSearch } from './pages/certificates/search.ts'
import { newFirewallSearch } from './pages/firewalls/search.ts'
import { reachSearch } from './pages/reach/search.ts'
import { loadServers, newServerSearch, serversSearch } from './pages/servers/search.ts'
import { resourceSearch } from './pages/shared/search.ts'

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

interface Asked {
  readonly context: { readonly cache: QueryClient }
  readonly params: { readonly project: string }
}

/** Loads a list before its page is shown. */
function loadList<Id extends OperationId>({ context, params }: Asked, operation: Id, input = {} as InputOf<Id>) {
  return context.cache.ensureQueryData(apiOf(Number(params.project)).list(operation, input))
}

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: async ({ context: { cache } }) =>
    cache.ensureQueryData((await import('./pages/home/summaries.ts')).summariesQuery),
  component: lazyRouteComponent(() => import('./pages/home/projects.tsx'), 'ProjectsPage'),
})

// ---- One's own account -----------------------------------------------------------------------------------------------

const account = createRoute({ getParentRoute: () => root, path: '/account' })
const own = apiOf(undefined)

const profile = createRoute({
  getParentRoute: () => account,
  path: '/profile',
  loader: ({ context: { cache } }) => cache.ensureQueryData(own.query('people_account', {})),
  component: lazyRouteComponent(() => import('./pages/account/profile.tsx'), 'ProfilePage'),
})

const signIn = createRoute({
  getParentRoute: () => account,
  path: '/security',
  loader: ({ context: { cache } }) =>
    Promise.all([
      cache.ensureQueryData(own.query('people_account', {})),
      cache.ensureQueryData(own.query('people_credentials', {})),
    ]),
  component: lazyRouteComponent(() => import('./pages/account/security.tsx'), 'SecurityPage'),
})

const sessions = createRoute({
  getParentRoute: () => account,
  path: '/sessions',
  loader: ({ context: { cache } }) => cache.ensureQueryData(own.query('people_sessions', {})),
  component: lazyRouteComponent(() => import('./pages/account/sessions.tsx'), 'SessionsPage'),
})

const accountPages = account.addChildren([profile, signIn, sessions])

/** The installation. What its pages load first comes with them, as few people see them. */
const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin/{-$tab}',
  component: lazyRouteComponent(() => import('./pages/admin/page.tsx'), 'AdminPage'),
})

// ---- Pages of a Project ----------------------------------------------------------------------------------------------

/** Whose Project it is not finds nothing here, whatever the page. */
const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project',
  loader: async ({ context: { cache }, params }) => {
    const projects = await cache.fetchQuery(projectsQuery)
    if (!projects.some(({ id }) => id === Number(params.project))) throw notFound()
  },
})

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'OverviewPage'),
})

export const serversRoute = createRoute({
  getParentRoute: () => project,
  path: '/servers',
  validateSearch: serversSearch,
  loader: ({ context: { cache }, params }) => loadServers(cache, apiOf(Number(params.project))),
  component: lazyRouteComponent(() => import('./pages/servers/list.tsx'), 'ServersPage'),
})

const newServer = createRoute({
  getParentRoute: () => project,
  path: '/servers/new',
  validateSearch: newServerSearch,
  loader: async ({ context: { cache }, params }) => {
    const { loadNewServer } = await import('./pages/servers/new-data.ts')
    return loadNewServer(cache, apiOf(Number(params.project)))
  },
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
  loader: (asked) => loadList(asked, 'firewalls_list'),
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

const floatingIps = createRoute({
  getParentRoute: () => project,
  path: '/floating-ips',
  validateSearch: listSearch,
  loader: ({ context: { cache }, params }) => loadAddresses(cache, params.project, 'floating_ips_list'),
  component: lazyRouteComponent(() => import('./pages/addresses/list.tsx'), 'FloatingIpsPage'),
})

const primaryIps = createRoute({
  getParentRoute: () => project,
  path: '/primary-ips',
  validateSearch: listSearch,
  loader: ({ context: { cache }, params }) => loadAddresses(cache, params.project, 'primary_ips_list'),
  component: lazyRouteComponent(() => import('./pages/addresses/list.tsx'), 'PrimaryIpsPage'),
})

const balancers = createRoute({
  getParentRoute: () => project,
  path: '/load-balancers',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'load_balancers_list'),
  component: lazyRouteComponent(() => import('./pages/load-balancers/list.tsx'), 'BalancersPage'),
})

const newBalancer = createRoute({
  getParentRoute: () => project,
  path: '/load-balancers/new',
  component: lazyRouteComponent(() => import('./pages/load-balancers/new.tsx'), 'NewBalancerPage'),
})

const balancer = createRoute({
  getParentRoute: () => project,
  path: '/load-balancers/$id/{-$tab}',
  loader: ({ context: { cache }, params }) =>
    cache.ensureQueryData(
      apiOf(Number(params.project)).query('load_balancers_get', { params: { id: Number(params.id) } }),
    ),
  component: lazyRouteComponent(() => import('./pages/load-balancers/detail.tsx'), 'BalancerPage'),
})

/** Addresses, and the servers that they lead to. */
function loadAddresses(cache: QueryClient, id: string, list: 'floating_ips_list' | 'primary_ips_list') {
  const api = apiOf(Number(id))
  return Promise.all([cache.ensureQueryData(api.list(list, {})), cache.ensureQueryData(api.list('servers_list', {}))])
}

/** What pages with rules need: all firewalls, and the servers whose names stand for addresses. */
function loadRules(cache: QueryClient, id: string) {
  const api = apiOf(Number(id))
  return Promise.all([
    cache.ensureQueryData(api.list('firewalls_list', {})),
    cache.ensureQueryData(api.list('servers_list', {})),
  ])
}

// ---- DNS zones and certificates --------------------------------------------------------------------------------------

const zones = createRoute({
  getParentRoute: () => project,
  path: '/zones',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'zones_list'),
  component: lazyRouteComponent(() => import('./pages/zones/list.tsx'), 'ZonesPage'),
})

const newZone = createRoute({
  getParentRoute: () => project,
  path: '/zones/new',
  component: lazyRouteComponent(() => import('./pages/zones/new.tsx'), 'NewZonePage'),
})

const zone = createRoute({
  getParentRoute: () => project,
  path: '/zones/$zone/{-$tab}',
  validateSearch: resourceSearch,
  loader: ({ context: { cache }, params: { project, zone } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('zones_get', { params: { id_or_name: zone } })),
  component: lazyRouteComponent(() => import('./pages/zones/zone-page.tsx'), 'ZonePage'),
})

const importZone = createRoute({
  getParentRoute: () => project,
  path: '/zones/$zone/import',
  loader: ({ context: { cache }, params: { project, zone } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('zones_get', { params: { id_or_name: zone } })),
  component: lazyRouteComponent(() => import('./pages/zones/import.tsx'), 'ImportPage'),
})

const certificates = createRoute({
  getParentRoute: () => project,
  path: '/certificates',
  validateSearch: certificatesSearch,
  loader: (asked) => loadList(asked, 'certificates_list'),
  component: lazyRouteComponent(() => import('./pages/certificates/list.tsx'), 'CertificatesPage'),
})

const newCertificate = createRoute({
  getParentRoute: () => project,
  path: '/certificates/new',
  component: lazyRouteComponent(() => import('./pages/certificates/new.tsx'), 'NewCertificatePage'),
})

const uploadCertificate = createRoute({
  getParentRoute: () => project,
  path: '/certificates/upload',
  component: lazyRouteComponent(() => import('./pages/certificates/upload.tsx'), 'UploadPage'),
})

const certificate = createRoute({
  getParentRoute: () => project,
  path: '/certificates/$id',
  loader: ({ context: { cache }, params: { project, id } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('certificates_get', { params: { id: Number(id) } })),
  component: lazyRouteComponent(() => import('./pages/certificates/detail.tsx'), 'CertificatePage'),
})

// ---- Networks, volumes, images, keys and groups ----------------------------------------------------------------------

const sshKeys = createRoute({
  getParentRoute: () => project,
  path: '/security/ssh-keys',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'ssh_keys_list'),
  component: lazyRouteComponent(() => import('./pages/ssh-keys/list.tsx'), 'SshKeysPage'),
})

const placementGroups = createRoute({
  getParentRoute: () => project,
  path: '/placement-groups',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'placement_groups_list'),
  component: lazyRouteComponent(() => import('./pages/placement-groups/list.tsx'), 'PlacementGroupsPage'),
})

const networks = createRoute({
  getParentRoute: () => project,
  path: '/networks',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'networks_list'),
  component: lazyRouteComponent(() => import('./pages/networks/list.tsx'), 'NetworksPage'),
})

const newNetwork = createRoute({
  getParentRoute: () => project,
  path: '/networks/new',
  component: lazyRouteComponent(() => import('./pages/networks/new.tsx'), 'NewNetworkPage'),
})

const network = createRoute({
  getParentRoute: () => project,
  path: '/networks/$id',
  loader: ({ context: { cache }, params: { project, id } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('networks_get', { params: { id: Number(id) } })),
  component: lazyRouteComponent(() => import('./pages/networks/detail.tsx'), 'NetworkPage'),
})

const volumes = createRoute({
  getParentRoute: () => project,
  path: '/volumes',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'volumes_list'),
  component: lazyRouteComponent(() => import('./pages/volumes/list.tsx'), 'VolumesPage'),
})

const newVolume = createRoute({
  getParentRoute: () => project,
  path: '/volumes/new',
  component: lazyRouteComponent(() => import('./pages/volumes/new.tsx'), 'NewVolumePage'),
})

const volume = createRoute({
  getParentRoute: () => project,
  path: '/volumes/$id',
  loader: ({ context: { cache }, params: { project, id } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('volumes_get', { params: { id: Number(id) } })),
  component: lazyRouteComponent(() => import('./pages/volumes/detail.tsx'), 'VolumePage'),
})

const image = createRoute({
  getParentRoute: () => project,
  path: '/images/$id',
  loader: ({ context: { cache }, params: { project, id } }) =>
    cache.ensureQueryData(apiOf(Number(project)).query('images_get', { params: { id: Number(id) } })),
  component: lazyRouteComponent(() => import('./pages/images/detail.tsx'), 'ImagePage'),
})

const images = createRoute({
  getParentRoute: () => project,
  path: '/images',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'images_list', { query: { include_deprecated: true } }),
  component: lazyRouteComponent(() => import('./pages/images/list.tsx'), 'ImagesPage'),
})

const resourcePages = [
  ...[zones, newZone, zone, importZone, certificates, newCertificate, uploadCertificate, certificate],
  ...[networks, newNetwork, network, volumes, newVolume, volume, images, image, sshKeys, placementGroups],
] as const

// ---- What happened, who may what ---------------------------------------------------------------------------------------

const activity = createRoute({
  getParentRoute: () => project,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import('./pages/activity/activity.tsx'), 'ActivityPage'),
})

const audit = createRoute({
  getParentRoute: () => project,
  path: '/security/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/activity/audit.tsx'), 'AuditPage'),
})

const tokens = createRoute({
  getParentRoute: () => project,
  path: '/security/tokens',
  loader: ({ context: { cache }, params }) => {
    const id = Number(params.project)
    return cache.ensureQueryData(apiOf(id).query('management_listTokens', { params: { project_id: id } }))
  },
  component: lazyRouteComponent(() => import('./pages/access/tokens.tsx'), 'TokensPage'),
})

const members = createRoute({
  getParentRoute: () => project,
  path: '/security/members',
  loader: ({ context: { cache }, params }) => {
    const id = Number(params.project)
    return cache.ensureQueryData(apiOf(id).query('management_listMembers', { params: { project_id: id } }))
  },
  component: lazyRouteComponent(() => import('./pages/access/members.tsx'), 'MembersPage'),
})

const settings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  loader: ({ context: { cache }, params }) => {
    const id = Number(params.project)
    const api = apiOf(id)
    return Promise.all([
      cache.ensureQueryData(api.query('management_getProject', { params: { project_id: id } })),
      cache.ensureQueryData(api.query('management_getLimits', { params: { project_id: id } })),
      cache.ensureQueryData(api.query('pricing_get', {})),
    ])
  },
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
})

const operations = createRoute({
  getParentRoute: () => project,
  path: '/raw',
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } => (q ? { q: String(q) } : {}),
  component: lazyRouteComponent(() => import('./pages/raw/operations.tsx'), 'OperationsPage'),
})

const request = createRoute({
  getParentRoute: () => project,
  path: '/raw/$operation',
  component: lazyRouteComponent(() => import('./pages/raw/request.tsx'), 'RequestPage'),
})

const accessPages = [activity, audit, tokens, members, settings, operations, request] as const

export const routeTree = root.addChildren([
  home,
  accountPages,
  admin,
  project.addChildren([
    ...[overview, serversRoute, newServer, server, firewalls, newFirewall, firewall, reach],
    ...[floatingIps, primaryIps, balancers, newBalancer, balancer],
    ...resourcePages,
    ...accessPages,
  ]),
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
      {
        to: '/projects/$project/floating-ips',
        label: w.floatingIps,
        icon: 'ip',
        counts: 'floating_ips_list',
        keys: 'G A',
      },
      {
        to: '/projects/$project/primary-ips',
        label: w.primaryIps,
        icon: 'ip',
        counts: 'primary_ips_list',
        keys: 'G P',
      },
      {
        to: '/projects/$project/load-balancers',
        label: w.balancers,
        icon: 'balance',
        counts: 'load_balancers_list',
        keys: 'G L',
      },
      { to: '/projects/$project/volumes', label: w.volumes, icon: 'volume', counts: 'volumes_list', keys: 'G V' },
      { to: '/projects/$project/networks', label: w.networks, icon: 'network', counts: 'networks_list', keys: 'G N' },
      { to: '/projects/$project/images', label: w.images, icon: 'image', counts: 'images_list', keys: 'G I' },
      {
        to: '/projects/$project/certificates',
        label: w.certificates,
        icon: 'cert',
        counts: 'certificates_list',
        keys: 'G C',
      },
      { to: '/projects/$project/zones', label: w.zones, icon: 'zone', counts: 'zones_list', keys: 'G Z' },
      {
        to: '/projects/$project/placement-groups',
        label: w.placementGroups,
        icon: 'grip',
        counts: 'placement_groups_list',
      },
    ],
  },
  {
    title: w.security,
    entries: [
      { to: '/projects/$project/security/tokens', label: w.tokens, icon: 'token', keys: 'G T' },
      { to: '/projects/$project/security/ssh-keys', label: w.keys, icon: 'key', counts: 'ssh_keys_list', keys: 'G K' },
      { to: '/projects/$project/security/members', label: w.members, icon: 'people', keys: 'G M' },
      { to: '/projects/$project/security/audit', label: w.audit, icon: 'report', keys: 'G U' },
    ],
  },
  {
    title: wordsOf('shell', shell).project,
    entries: [
      { to: '/projects/$project/activity', label: w.activity, icon: 'activity', keys: 'G A' },
      { to: '/projects/$project/settings', label: w.settings, icon: 'settings', keys: 'G P' },
      { to: '/projects/$project/raw', label: w.raw, icon: 'terminal', keys: 'G R' },
    ],
  },
])
