/** What the test of all pages knows of each, by its route. A page that is added needs its line here. */

/** What every state of a page belongs to: `states/<area>.ts`. */
export type Area = 'access' | 'admin' | 'firewalls' | 'resources' | 'server-tabs' | 'servers' | 'shell' | 'storage'

export interface PageOfRoute {
  /** Whose states show it. */
  readonly area: Area
  /** Where it is; `P` stands for the open Project. `{family:name}` is the id of that resource. */
  readonly path: string
  /** The family of the resource that it shows, and its name; another page may not show the same. */
  readonly shows?: readonly [family: string, name: string]
  /** Its other tabs, by the end of their address. */
  readonly tabs?: readonly string[]
  /** Whose states show these tabs, if others do. */
  readonly tabsIn?: Area
  /** It is a form: its fields can be filled in by everybody, and only sending it needs a role. */
  readonly isForm?: true
  /** Its buttons that only fill it in, by their names. */
  readonly fills?: RegExp
  /** The role without which nothing of it can be seen. */
  readonly needs?: 'Admin'
  /** It asks the server for nothing before something is sent. */
  readonly asksNothing?: true
  /** It is about the person, whom no role of a Project concerns. */
  readonly isOwn?: true
}

export const everyPage: Readonly<Record<string, PageOfRoute>> = {
  '/': { area: 'admin', path: '/', isOwn: true, asksNothing: true },
  '/account/profile': { area: 'access', path: '/account/profile', isOwn: true },
  '/account/security': { area: 'access', path: '/account/security', isOwn: true },
  '/account/sessions': { area: 'access', path: '/account/sessions', isOwn: true },
  '/admin/{-$tab}': { area: 'admin', path: '/admin', isOwn: true, asksNothing: true },
  '/projects/$project/': { area: 'servers', path: 'P' },
  '/projects/$project/servers': { area: 'servers', path: 'P/servers' },
  '/projects/$project/servers/new': { area: 'servers', path: 'P/servers/new', isForm: true, fills: /^(Add: |Remove )/ },
  '/projects/$project/servers/$id/{-$tab}': {
    area: 'servers',
    path: 'P/servers/{id}',
    shows: ['servers', 'build-1'],
    tabs: ['networking', 'backups', 'change', 'activity', 'settings'],
    tabsIn: 'server-tabs',
  },
  '/projects/$project/firewalls': { area: 'firewalls', path: 'P/firewalls' },
  '/projects/$project/firewalls/new': {
    area: 'firewalls',
    path: 'P/firewalls/new',
    isForm: true,
    fills: /^(Add |Rule$|Paste$)/,
  },
  '/projects/$project/firewalls/$id/{-$tab}': {
    area: 'firewalls',
    path: 'P/firewalls/{id}',
    shows: ['firewalls', 'spare'],
    tabs: ['resources', 'activity'],
  },
  '/projects/$project/reach': { area: 'firewalls', path: 'P/reach?from=internet&to=web-1&port=tcp/443' },
  '/projects/$project/floating-ips': { area: 'firewalls', path: 'P/floating-ips' },
  '/projects/$project/primary-ips': { area: 'firewalls', path: 'P/primary-ips' },
  '/projects/$project/load-balancers': { area: 'firewalls', path: 'P/load-balancers' },
  '/projects/$project/load-balancers/new': { area: 'firewalls', path: 'P/load-balancers/new', isForm: true },
  '/projects/$project/load-balancers/$id/{-$tab}': {
    area: 'firewalls',
    path: 'P/load-balancers/{id}',
    shows: ['load_balancers', 'shop'],
    tabs: ['services', 'targets', 'network', 'metrics', 'activity', 'danger'],
  },
  '/projects/$project/zones': { area: 'resources', path: 'P/zones' },
  '/projects/$project/zones/new': { area: 'resources', path: 'P/zones/new', isForm: true, asksNothing: true },
  '/projects/$project/zones/$zone/{-$tab}': {
    area: 'resources',
    path: 'P/zones/nordlicht.de',
    shows: ['zones', 'nordlicht.de'],
    tabs: ['settings'],
  },
  '/projects/$project/zones/$zone/import': {
    area: 'resources',
    path: 'P/zones/import.example/import',
    isForm: true,
    shows: ['zones', 'import.example'],
  },
  '/projects/$project/certificates': { area: 'resources', path: 'P/certificates' },
  '/projects/$project/certificates/new': { area: 'resources', path: 'P/certificates/new', isForm: true },
  '/projects/$project/certificates/upload': {
    area: 'resources',
    path: 'P/certificates/upload',
    isForm: true,
    asksNothing: true,
  },
  '/projects/$project/certificates/$id': {
    area: 'resources',
    path: 'P/certificates/{id}',
    shows: ['certificates', 'www'],
  },
  '/projects/$project/security/ssh-keys': { area: 'resources', path: 'P/security/ssh-keys' },
  '/projects/$project/placement-groups': { area: 'resources', path: 'P/placement-groups' },
  '/projects/$project/networks': { area: 'resources', path: 'P/networks' },
  '/projects/$project/networks/new': { area: 'resources', path: 'P/networks/new', isForm: true },
  '/projects/$project/networks/$id': { area: 'resources', path: 'P/networks/{id}', shows: ['networks', 'internal'] },
  '/projects/$project/volumes': { area: 'resources', path: 'P/volumes' },
  '/projects/$project/volumes/new': { area: 'resources', path: 'P/volumes/new', isForm: true },
  '/projects/$project/storage-boxes': { area: 'storage', path: 'P/storage-boxes' },
  '/projects/$project/storage-boxes/new': {
    area: 'storage',
    path: 'P/storage-boxes/new',
    isForm: true,
    fills: /^Generate$/,
  },
  '/projects/$project/storage-boxes/$id/{-$tab}': {
    area: 'storage',
    path: 'P/storage-boxes/{id}',
    shows: ['storage_boxes', 'archive'],
    tabs: ['files', 'snapshots', 'subaccounts', 'access', 'activity'],
  },
  '/projects/$project/images': { area: 'resources', path: 'P/images' },
  '/projects/$project/volumes/$id': { area: 'resources', path: 'P/volumes/{id}', shows: ['volumes', 'data'] },
  '/projects/$project/images/$id': { area: 'resources', path: 'P/images/{id}', shows: ['images', 'before'] },
  '/projects/$project/activity': { area: 'access', path: 'P/activity' },
  '/projects/$project/security/audit': { area: 'access', path: 'P/security/audit', needs: 'Admin' },
  '/projects/$project/security/tokens': { area: 'access', path: 'P/security/tokens', needs: 'Admin' },
  '/projects/$project/security/members': { area: 'access', path: 'P/security/members' },
  '/projects/$project/settings': { area: 'access', path: 'P/settings' },
  '/projects/$project/raw': { area: 'access', path: 'P/raw', asksNothing: true },
  '/projects/$project/raw/$operation': {
    area: 'access',
    path: 'P/raw/servers_create',
    isForm: true,
    asksNothing: true,
  },
}

/** The pages whose states are in an area, by their routes, and the tabs of pages, as `/projects/$project/servers tab`. */
export function placesIn(wanted: Area): readonly string[] {
  return Object.entries(everyPage).flatMap(([route, { area, tabs = [], tabsIn = area }]) => [
    ...(area === wanted ? [route] : []),
    ...(tabsIn === wanted ? tabs.map((tab) => `${route} ${tab}`) : []),
  ])
}

/** What may be done without changing anything, by the names of buttons and entries of menus. */
export const harmless = [
  /^(Actions for|Clear the|Copied|Copy|Choose|Columns|Details|Dismiss|Filter|Hide|Page|Remove the filter|Select|Show)\b/,
  /^(Commands|Export|Download|Previous page|Next page|All on one page|Refresh|Find|Swap|Browse)/,
  // Parts of forms whose button is off.
  /^(Remove env$|With a larger disk)/,
  /^(hcloud|curl|Terraform|Python)$/,
]
