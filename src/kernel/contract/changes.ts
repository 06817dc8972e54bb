/**
 * Dated changes of the API as data (spec: Versioning). The server behaves as of its clock's date: code asks `inEffect`,
 * and contracts name the change that added or removed an endpoint or field. GET /v1/changes serves the table.
 */

interface Change {
  /** First day on which it is in effect, in UTC. If only the month is known, its first day. */
  readonly from: string
  /** Section of docs/contract.md that it changes. */
  readonly section: string
  readonly summary: string
  /** The family that it belongs to and that does not exist yet. */
  readonly waitsFor?: string
  /** Why it makes no difference here at any date. */
  readonly standing?: string
}

export const changes = {
  architecture_added: {
    from: '2023-04-01',
    section: 'Image',
    summary: 'Images and server types have an architecture, and images can be filtered by it',
  },
  server_type_traffic_added: {
    from: '2023-05-01',
    section: 'Versioning',
    summary: 'Server types have included_traffic',
  },
  action_endpoints_added: {
    from: '2023-06-01',
    section: 'Actions',
    summary: 'Every family with actions has /<family>/actions and /<family>/actions/{id}',
  },
  server_type_deprecation_added: {
    from: '2023-06-01',
    section: 'Versioning',
    summary: 'Server types have deprecation, which replaces the boolean deprecated',
  },
  network_vswitch_routes: {
    from: '2023-06-01',
    section: 'Versioning',
    summary: 'Networks have expose_routes_to_vswitch',
    waitsFor: 'networks',
  },
  sort_by_progress_removed: {
    from: '2023-08-01',
    section: 'Endpoints',
    summary: 'Actions can no longer be sorted by progress',
  },
  wide_ids: {
    from: '2023-09-01',
    section: 'Common types',
    summary: 'Ids of up to 52 bits are given out',
    standing: 'new ids are wider than 32 bits at every date, so that clients that cut them are found out',
  },
  action_history_limited: {
    from: '2023-10-01',
    section: 'Limits',
    summary: 'Only actions of the past 90 days are returned',
  },
  iso_deprecation_added: {
    from: '2023-10-01',
    section: 'Versioning',
    summary: 'ISOs have deprecation',
    waitsFor: 'isos',
  },
  vswitch_subnet_smaller: {
    from: '2023-10-01',
    section: 'Versioning',
    summary: 'A vswitch subnet is smaller than its network; the default route can be exposed to the vSwitch',
    waitsFor: 'networks',
  },
  related_ports_closed: {
    from: '2023-11-01',
    section: 'Firewalls',
    summary: 'Related ports of FTP, SIP and PPTP are no longer opened by themselves',
    standing: 'packet filters here open what rules say and nothing else',
  },
  iso_deprecated_removed: {
    from: '2024-01-01',
    section: 'Versioning',
    summary: 'ISOs no longer have deprecated; enable_rescue no longer accepts linux32',
    waitsFor: 'isos',
  },
  compression_added: {
    from: '2024-07-01',
    section: 'Pagination and sorting rules',
    summary: 'Answers are compressed with gzip or brotli on request (for good since 26 Aug 2024)',
  },
  price_traffic_added: {
    from: '2024-07-01',
    section: 'Versioning',
    summary: 'Prices of server types have included_traffic and price_per_tb_traffic',
  },
  server_type_traffic_null: {
    from: '2024-08-01',
    section: 'Versioning',
    summary: 'included_traffic of a server type is null',
  },
  pricing_traffic_null: {
    from: '2024-08-01',
    section: 'Versioning',
    summary: 'traffic of the price list is null; floating_ip gives way to floating_ips',
    waitsFor: 'pricing',
  },
  location_sin_added: {
    from: '2024-08-01',
    section: 'Versioning',
    summary: 'A location and a network zone in Singapore',
  },
  server_type_traffic_removed: {
    from: '2024-11-01',
    section: 'Versioning',
    summary: 'Server types no longer have included_traffic',
  },
  actions_listing_removed: {
    from: '2025-01-30',
    section: 'Actions',
    summary: 'GET /actions needs ids: all actions are no longer listed',
  },
  storage_box_root: {
    from: '2025-06-01',
    section: 'Versioning',
    summary: 'Storage boxes moved to an API root of their own',
    waitsFor: 'storage_boxes',
  },
  firewall_not_found_code: {
    from: '2025-07-01',
    section: 'Errors',
    summary: 'Resources that a firewall operation names and that do not exist give firewall_resource_not_found',
  },
  no_address_is_412: {
    from: '2025-07-01',
    section: 'Floating IPs',
    summary: 'No address left is status 412 instead of 503',
  },
  server_type_category_added: {
    from: '2025-08-01',
    section: 'Versioning',
    summary: 'Server types have category',
  },
  server_type_locations_added: {
    from: '2025-09-01',
    section: 'Versioning',
    summary: 'Server types have locations',
  },
  attach_ip_range: {
    from: '2025-09-01',
    section: 'Versioning',
    summary: 'attach_to_network accepts ip_range',
    waitsFor: 'networks',
  },
  storage_box_passwords: {
    from: '2025-09-17',
    section: 'Limits',
    summary: 'Storage box passwords have at least 12 characters and a special one',
    waitsFor: 'storage_boxes',
  },
  dns_ptr_trailing_dot: {
    from: '2025-10-01',
    section: 'Floating IPs',
    summary: 'A trailing dot in dns_ptr is refused',
  },
  storage_box_changes: {
    from: '2025-10-01',
    section: 'Versioning',
    summary: 'Storage boxes: sorting, filters, optional fields, rollback takes snapshot',
    waitsFor: 'storage_boxes',
  },
  rrset_comments: {
    from: '2025-11-01',
    section: 'Versioning',
    summary: 'Comments of records of an RRSet can be updated',
  },
  cidr_host_bits_refused: {
    from: '2025-12-10',
    section: 'Firewall',
    summary: 'CIDRs of firewall rules with host bits set are refused',
  },
  rfc3339_timestamps: {
    from: '2025-12-01',
    section: 'Common types',
    summary: 'Timestamps are RFC 3339 and end in Z',
  },
  server_location_added: {
    from: '2025-12-01',
    section: 'Versioning',
    summary: 'Servers have location; datacenter is deprecated there',
  },
  certificate_key_sizes: {
    from: '2025-12-01',
    section: 'Certificate',
    summary: 'Public keys of certificates have one of five sizes',
  },
  rebuild_user_data: {
    from: '2026-01-01',
    section: 'Versioning',
    summary: 'rebuild accepts user_data',
  },
  subaccount_name: {
    from: '2026-01-01',
    section: 'Versioning',
    summary: 'Subaccounts of storage boxes have a unique name',
    waitsFor: 'storage_boxes',
  },
  certificate_size_limits: {
    from: '2026-02-01',
    section: 'Certificate',
    summary: 'Private key, chain length and chain size of certificates are limited',
  },
  timeout_idle: {
    from: '2026-04-01',
    section: 'Limits',
    summary: 'HTTP services of load balancers have timeout_idle',
    waitsFor: 'load_balancers',
  },
  resource_action_deprecated: {
    from: '2026-04-01',
    section: 'Actions',
    summary: 'GET /<resource>/{id}/actions/{action_id} is deprecated',
    standing: 'it goes on answering; no removal is planned',
  },
  assignee_type_optional: {
    from: '2026-04-01',
    section: 'Versioning',
    summary: 'assignee_type is optional when a Primary IP is created',
    waitsFor: 'primary_ips',
  },
  floating_ip_delete_needs_unassign: {
    from: '2026-05-01',
    section: 'Floating IPs',
    summary: 'An assigned Floating IP can no longer be deleted: must_be_unassigned',
  },
  primary_ip_delete_needs_unassign: {
    from: '2026-05-01',
    section: 'Errors',
    summary: 'An assigned Primary IP can no longer be deleted: must_be_unassigned',
    waitsFor: 'primary_ips',
  },
  load_balancer_type_deprecation: {
    from: '2026-06-01',
    section: 'Versioning',
    summary: 'Load balancer types have deprecation',
    waitsFor: 'load_balancers',
  },
  datacenters_deprecated: {
    from: '2026-06-01',
    section: 'Datacenters',
    summary: 'The datacenter endpoints are deprecated',
    standing: 'they answer until they are removed',
  },
  server_datacenter_removed: {
    from: '2026-07-01',
    section: 'Versioning',
    summary: 'datacenter is gone from requests and responses of servers',
  },
  health_status_detail: {
    from: '2026-08-01',
    section: 'Versioning',
    summary: 'Target health of load balancers has detail and http_status_code',
    waitsFor: 'load_balancers',
  },
  ec2_metadata_removed: {
    from: '2026-08-01',
    section: 'Server metadata service',
    summary: 'The EC2-compatible routes of the metadata service no longer answer',
  },
  assignee_type_unassigned: {
    from: '2026-09-01',
    section: 'Versioning',
    summary: 'assignee_type of a Primary IP without assignee is unassigned',
    waitsFor: 'primary_ips',
  },
  network_members: {
    from: '2026-09-01',
    section: 'Versioning',
    summary: 'Members of a network can be listed',
    waitsFor: 'networks',
  },
  dns_ptr_required: {
    from: '2026-09-30',
    section: 'Floating IPs',
    summary: 'change_dns_ptr needs the key dns_ptr; leaving it out no longer resets the name',
  },
  rrset_ttl_required: {
    from: '2026-09-30',
    section: 'Versioning',
    summary: 'change_ttl of an RRSet needs the key ttl; leaving it out no longer takes the TTL of the zone',
  },
  datacenters_removed: {
    from: '2026-10-01',
    section: 'Datacenters',
    summary: 'The datacenter endpoints are gone; server_types.locations has what they told',
  },
  load_balancer_public_net: {
    from: '2026-10-01',
    section: 'Versioning',
    summary: 'Load balancers can be created with Primary IPs; deleting one returns an action',
    waitsFor: 'load_balancers',
  },
  deprecated_field_removed: {
    from: '2026-11-02',
    section: 'Image',
    summary: 'The field deprecated of images and server types is gone; use deprecation',
  },
  link_header_removed: {
    from: '2027-04-01',
    section: 'Pagination and sorting rules',
    summary: 'Lists no longer carry the Link header; use meta.pagination',
  },
  server_subnets_removed: {
    from: '2027-04-15',
    section: 'Versioning',
    summary: 'Subnets of type server are gone; use cloud',
    waitsFor: 'networks',
  },
} as const satisfies Record<string, Change>

export type ChangeName = keyof typeof changes

/** All changes with their start in ms since the epoch, oldest first. */
export const calendar: readonly (Change & { readonly name: ChangeName; readonly fromMs: number })[] = (
  Object.entries(changes) as [ChangeName, Change][]
)
  .map(([name, change]) => ({ ...change, name, fromMs: Date.parse(change.from) }))
  .sort((a, b) => a.fromMs - b.fromMs)

const starts = new Map(calendar.map(({ name, fromMs }) => [name, fromMs]))

/** When a change takes effect, in ms since the epoch. */
export function startOf(name: ChangeName): number {
  return starts.get(name) as number
}

/** Whether a change holds at `nowMs`. */
export function inEffect(name: ChangeName, nowMs: number): boolean {
  return nowMs >= startOf(name)
}
