/** What the test of all pages knows of each, by its route. A page that is added needs its line here. */

export interface PageOfRoute {
  /** Where it is; `P` stands for the open Project. `{family:name}` is the id of that resource. */
  readonly path: string
  /** The family of the resource that it shows, and its name; another page may not show the same. */
  readonly shows?: readonly [family: string, name: string]
  /** Its other tabs, by the end of their address. */
  readonly tabs?: readonly string[]
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
  '/': { path: '/', isOwn: true, asksNothing: true },
  '/account/profile': { path: '/account/profile', isOwn: true },
  '/account/security': { path: '/account/security', isOwn: true },
  '/account/sessions': { path: '/account/sessions', isOwn: true },
  '/admin/{-$tab}': { path: '/admin', isOwn: true, asksNothing: true },
  '/projects/$project/': { path: 'P' },
  '/projects/$project/servers': { path: 'P/servers' },
  '/projects/$project/servers/new': { path: 'P/servers/new', isForm: true, fills: /^(Add: |Remove )/ },
  '/projects/$project/servers/$id/{-$tab}': {
    path: 'P/servers/{id}',
    shows: ['servers', 'build-1'],
    tabs: ['networking', 'backups', 'change', 'activity', 'settings'],
  },
  '/projects/$project/firewalls': { path: 'P/firewalls' },
  '/projects/$project/firewalls/new': { path: 'P/firewalls/new', isForm: true, fills: /^(Add |Rule$|Paste$)/ },
  '/projects/$project/firewalls/$id/{-$tab}': {
    path: 'P/firewalls/{id}',
    shows: ['firewalls', 'spare'],
    tabs: ['resources', 'activity'],
  },
  '/projects/$project/reach': { path: 'P/reach?from=internet&to=web-1&port=tcp/443' },
  '/projects/$project/floating-ips': { path: 'P/floating-ips' },
  '/projects/$project/primary-ips': { path: 'P/primary-ips' },
  '/projects/$project/load-balancers': { path: 'P/load-balancers' },
  '/projects/$project/load-balancers/new': { path: 'P/load-balancers/new', isForm: true },
  '/projects/$project/load-balancers/$id/{-$tab}': {
    path: 'P/load-balancers/{id}',
    shows: ['load_balancers', 'shop'],
    tabs: ['services', 'targets', 'network', 'metrics', 'activity', 'danger'],
  },
  '/projects/$project/zones': { path: 'P/zones' },
  '/projects/$project/zones/new': { path: 'P/zones/new', isForm: true, asksNothing: true },
  '/projects/$project/zones/$zone/{-$tab}': {
    path: 'P/zones/nordlicht.de',
    shows: ['zones', 'nordlicht.de'],
    tabs: ['settings'],
  },
  '/projects/$project/zones/$zone/import': {
    path: 'P/zones/import.example/import',
    isForm: true,
    shows: ['zones', 'import.example'],
  },
  '/projects/$project/certificates': { path: 'P/certificates' },
  '/projects/$project/certificates/new': { path: 'P/certificates/new', isForm: true },
  '/projects/$project/certificates/upload': { path: 'P/certificates/upload', isForm: true, asksNothing: true },
  '/projects/$project/certificates/$id': { path: 'P/certificates/{id}', shows: ['certificates', 'www'] },
  '/projects/$project/security/ssh-keys': { path: 'P/security/ssh-keys' },
  '/projects/$project/placement-groups': { path: 'P/placement-groups' },
  '/projects/$project/networks': { path: 'P/networks' },
  '/projects/$project/networks/new': { path: 'P/networks/new', isForm: true },
  '/projects/$project/networks/$id': { path: 'P/networks/{id}', shows: ['networks', 'internal'] },
  '/projects/$project/volumes': { path: 'P/volumes' },
  '/projects/$project/volumes/new': { path: 'P/volumes/new', isForm: true },
  '/projects/$project/images': { path: 'P/images' },
  '/projects/$project/volumes/$id': { path: 'P/volumes/{id}', shows: ['volumes', 'data'] },
  '/projects/$project/images/$id': { path: 'P/images/{id}', shows: ['images', 'before'] },
  '/projects/$project/activity': { path: 'P/activity' },
  '/projects/$project/security/audit': { path: 'P/security/audit', needs: 'Admin' },
  '/projects/$project/security/tokens': { path: 'P/security/tokens', needs: 'Admin' },
  '/projects/$project/security/members': { path: 'P/security/members' },
  '/projects/$project/settings': { path: 'P/settings' },
  '/projects/$project/raw': { path: 'P/raw', asksNothing: true },
  '/projects/$project/raw/$operation': { path: 'P/raw/servers_create', isForm: true, asksNothing: true },
}

/** What may be done without changing anything, by the names of buttons and entries of menus. */
export const harmless = [
  /^(Actions for|Clear the|Copied|Copy|Choose|Columns|Details|Dismiss|Filter|Hide|Page|Remove the filter|Select|Show)\b/,
  /^(Commands|Export|Download|Previous page|Next page|All on one page|Refresh|Find|Swap)/,
  // Parts of forms whose button is off.
  /^(Remove env$|With a larger disk)/,
  /^(hcloud|curl|Terraform|Python)$/,
]
