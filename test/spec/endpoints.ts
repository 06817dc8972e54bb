/**
 * Rows of the spec's tables of endpoints, as data (spec: Endpoints). Families that the spec only names have no rows.
 */

export interface EndpointRow {
  readonly section: string
  /** Method and path below the base URL. */
  readonly endpoint: string
  readonly status: number
  /** Query parameters besides `sort`, and the fields that it sorts by. */
  readonly query?: readonly string[]
  readonly sort?: readonly string[]
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** Root keys of the reply. */
  readonly reply: readonly string[]
  /** Not a row of a table but said in words beside it. */
  readonly inWords?: true
  /** Names of further tests, as `file: name`. */
  readonly also?: readonly string[]
}

const actionSort = ['id', 'command', 'status', 'started', 'finished']

/** The rows about the actions of a family, of which the tables have the first few and words beside them the others. */
function actionRows(section: string, family: string, inTable: number, also: readonly string[] = []): EndpointRow[] {
  const list = { section, status: 200, sort: actionSort, also }
  const one = { section, status: 200, reply: ['action'], also }
  const rows: EndpointRow[] = [
    { ...list, endpoint: `GET /${family}/{id}/actions`, query: ['status'], reply: ['actions'] },
    { ...one, endpoint: `GET /${family}/{id}/actions/{action_id}` },
    { ...list, endpoint: `GET /${family}/actions`, query: ['id', 'status'], reply: ['actions', 'meta'] },
    { ...one, endpoint: `GET /${family}/actions/{id}` },
  ]
  return rows.map((row, index) => (index < inTable ? row : { ...row, inWords: true }))
}

const firewallActions = 'firewalls.test.ts: the actions of firewalls are listed, filtered and found in four places'

export const endpointRows: readonly EndpointRow[] = [
  {
    section: 'Actions',
    endpoint: 'GET /actions',
    status: 200,
    query: ['id'],
    reply: ['actions'],
    also: [firewallActions],
  },
  { section: 'Actions', endpoint: 'GET /actions/{id}', status: 200, reply: ['action'] },
  {
    section: 'Certificates',
    endpoint: 'GET /certificates',
    status: 200,
    query: ['name', 'label_selector', 'type', 'page', 'per_page'],
    sort: ['id', 'name', 'created'],
    reply: ['certificates', 'meta'],
    also: ['certificates.test.ts: lists filter by name, type and labels, and sort by id, name and creation'],
  },
  {
    section: 'Certificates',
    endpoint: 'POST /certificates',
    status: 201,
    required: ['name', 'certificate', 'private_key'],
    optional: ['labels', 'type', 'domain_names'],
    reply: ['certificate', 'action'],
    also: [
      'certificates.test.ts: an uploaded one comes back byte for byte, with what its leaf says and without its private key',
    ],
  },
  { section: 'Certificates', endpoint: 'GET /certificates/{id}', status: 200, reply: ['certificate'] },
  {
    section: 'Certificates',
    endpoint: 'PUT /certificates/{id}',
    status: 200,
    optional: ['labels', 'name'],
    reply: ['certificate'],
    also: ['certificates.test.ts: an update changes what it names'],
  },
  {
    section: 'Certificates',
    endpoint: 'DELETE /certificates/{id}',
    status: 204,
    reply: [],
    also: ['certificates.test.ts: it says what uses it, and stays until nothing does'],
  },
  { section: 'Certificates', endpoint: 'POST /certificates/{id}/actions/retry', status: 201, reply: ['action'] },
  ...actionRows('Certificates', 'certificates', 4),
  {
    section: 'Datacenters',
    endpoint: 'GET /datacenters',
    status: 200,
    query: ['name'],
    sort: ['id', 'name'],
    reply: ['datacenters', 'recommendation', 'meta'],
    also: [
      'datacenters.test.ts: as of April 2026 they are listed with their server types and a recommendation',
      'datacenters.test.ts: a name that cannot be one is refused, one that is nobody finds nothing',
      'datacenters.test.ts: since October 2026 they are gone, whatever else is wrong with the request',
    ],
  },
  { section: 'Datacenters', endpoint: 'GET /datacenters/{id}', status: 200, reply: ['datacenter'] },
  {
    section: 'Firewalls',
    endpoint: 'GET /firewalls',
    status: 200,
    query: ['name', 'label_selector', 'page', 'per_page'],
    sort: ['id', 'name', 'created'],
    reply: ['firewalls', 'meta'],
    also: ['firewalls.test.ts: lists sort by id, name and creation, and filter by name and labels'],
  },
  {
    section: 'Firewalls',
    endpoint: 'POST /firewalls',
    status: 201,
    required: ['name'],
    optional: ['labels', 'rules', 'apply_to'],
    reply: ['firewall', 'actions'],
    also: ['firewalls.test.ts: a firewall has exactly the documented fields, and is gone after its deletion'],
  },
  { section: 'Firewalls', endpoint: 'GET /firewalls/{id}', status: 200, reply: ['firewall'] },
  {
    section: 'Firewalls',
    endpoint: 'PUT /firewalls/{id}',
    status: 200,
    optional: ['labels', 'name'],
    reply: ['firewall'],
    also: [
      'firewalls.test.ts: an update changes what it names, labels as a whole, and nothing else',
      'firewalls.test.ts: who keeps losing against rivals hears conflict, and nothing of theirs is written',
    ],
  },
  {
    section: 'Firewalls',
    endpoint: 'DELETE /firewalls/{id}',
    status: 204,
    reply: [],
    also: [
      'firewalls.test.ts: a firewall in use cannot be deleted, be it by a server or by a selector without servers',
    ],
  },
  {
    section: 'Firewalls',
    endpoint: 'POST /firewalls/{id}/actions/apply_to_resources',
    status: 201,
    required: ['apply_to'],
    reply: ['actions'],
    also: ['firewalls.test.ts: applying to a server puts its rules in force there, removing takes them out again'],
  },
  {
    section: 'Firewalls',
    endpoint: 'POST /firewalls/{id}/actions/remove_from_resources',
    status: 201,
    required: ['remove_from'],
    reply: ['actions'],
    also: ['firewalls.test.ts: removing several targets is done as a whole or not at all'],
  },
  {
    section: 'Firewalls',
    endpoint: 'POST /firewalls/{id}/actions/set_rules',
    status: 201,
    required: ['rules'],
    reply: ['actions'],
    also: ['firewalls.test.ts: new rules start an apply_firewall for each server; the same rules again start none'],
  },
  ...actionRows('Firewalls', 'firewalls', 4, [firewallActions]),
  {
    section: 'Floating IPs',
    endpoint: 'GET /floating_ips',
    status: 200,
    query: ['name', 'label_selector', 'page', 'per_page'],
    sort: ['id', 'created'],
    reply: ['floating_ips', 'meta'],
  },
  {
    section: 'Floating IPs',
    endpoint: 'POST /floating_ips',
    status: 201,
    required: ['type'],
    optional: ['home_location', 'server', 'description', 'labels', 'name'],
    reply: ['floating_ip', 'action'],
    also: [
      'floating-ips.test.ts: it needs exactly one of server and home_location, and both by what the Project and the catalogue have',
      'floating-ips.test.ts: with a server it takes its location, is assigned by create_floating_ip, and leads there',
    ],
  },
  { section: 'Floating IPs', endpoint: 'GET /floating_ips/{id}', status: 200, reply: ['floating_ip'] },
  {
    section: 'Floating IPs',
    endpoint: 'PUT /floating_ips/{id}',
    status: 200,
    optional: ['description', 'labels', 'name'],
    reply: ['floating_ip'],
    also: ['floating-ips.test.ts: names are unique, and updates change what they name'],
  },
  {
    section: 'Floating IPs',
    endpoint: 'DELETE /floating_ips/{id}',
    status: 204,
    reply: [],
    also: [
      'floating-ips.test.ts: before 30 Sep 2026 leaving dns_ptr out resets it; before May 2026 deletion unassigns',
      'floating-ips.test.ts: a released address rests before it is given out again',
    ],
  },
  {
    section: 'Floating IPs',
    endpoint: 'POST /floating_ips/{id}/actions/assign',
    status: 201,
    required: ['server'],
    reply: ['action'],
    also: ['floating-ips.test.ts: a move from one server to another is one call, and never leads to both'],
  },
  {
    section: 'Floating IPs',
    endpoint: 'POST /floating_ips/{id}/actions/unassign',
    status: 201,
    reply: ['action'],
    also: ['floating-ips.test.ts: unassigned means unreachable'],
  },
  {
    section: 'Floating IPs',
    endpoint: 'POST /floating_ips/{id}/actions/change_dns_ptr',
    status: 201,
    required: ['ip', 'dns_ptr'],
    reply: ['action'],
    also: ['floating-ips.test.ts: reverse names follow the rules of their kind of address'],
  },
  {
    section: 'Floating IPs',
    endpoint: 'POST /floating_ips/{id}/actions/change_protection',
    status: 201,
    optional: ['delete'],
    reply: ['action'],
    also: ['floating-ips.test.ts: a protected one is not deleted'],
  },
  ...actionRows('Floating IPs', 'floating_ips', 2),
  {
    section: 'Images',
    endpoint: 'GET /images',
    status: 200,
    query: [
      'type',
      'status',
      'bound_to',
      'include_deprecated',
      'name',
      'label_selector',
      'architecture',
      'page',
      'per_page',
    ],
    sort: ['id', 'name', 'created'],
    reply: ['images', 'meta'],
    also: [
      'own-images.test.ts: every filter narrows both kinds',
      'images.test.ts: types, architectures and states narrow the list; repeated values widen it',
      'images.test.ts: deprecated images are listed on demand, until nobody can order them',
    ],
  },
  { section: 'Images', endpoint: 'GET /images/{id}', status: 200, reply: ['image'] },
  {
    section: 'Images',
    endpoint: 'PUT /images/{id}',
    status: 200,
    optional: ['description', 'labels'],
    reply: ['image'],
    also: [
      'own-images.test.ts: description and labels of snapshots and backups can be changed, nothing of the installation',
      'backups.test.ts: backups go with their server; snapshots and what was converted stay',
    ],
  },
  { section: 'Images', endpoint: 'DELETE /images/{id}', status: 204, reply: [] },
  ...actionRows('Images', 'images', 0, ['own-images.test.ts: the actions of images are listed']),
]

/** A path of the metadata service, below `/v1/metadata`, and what it answers with. */
export interface MetadataRow {
  readonly path: string
  readonly shows: 'summary' | 'name' | 'id' | 'ipv4' | 'private networks' | 'zone' | 'region'
}

export const metadataRows: readonly MetadataRow[] = [
  { path: '', shows: 'summary' },
  { path: '/hostname', shows: 'name' },
  { path: '/instance-id', shows: 'id' },
  { path: '/public-ipv4', shows: 'ipv4' },
  { path: '/private-networks', shows: 'private networks' },
  { path: '/availability-zone', shows: 'zone' },
  { path: '/region', shows: 'region' },
]
