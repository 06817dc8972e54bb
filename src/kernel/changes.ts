/**
 * Dated changes of the spec as data: what the server does depends on its clock's date, past or future (spec: Versioning).
 */

interface Change {
  /** First day on which it holds, in UTC. */
  readonly from: string
  readonly section: string
  readonly summary: string
}

export const changes = {
  link_header_removed: {
    from: '2027-04-01',
    section: 'Pagination and sorting rules',
    summary: 'Lists no longer carry the Link header; use meta.pagination',
  },
  floating_ip_delete_needs_unassign: {
    from: '2026-05-01',
    section: 'Floating IPs',
    summary: 'An assigned Floating IP can no longer be deleted: must_be_unassigned',
  },
  ec2_metadata_removed: {
    from: '2026-08-01',
    section: 'Server metadata service',
    summary: 'The EC2-compatible routes of the metadata service no longer answer',
  },
  dns_ptr_required: {
    from: '2026-09-30',
    section: 'Floating IPs',
    summary: 'change_dns_ptr needs the key dns_ptr; leaving it out no longer resets the name',
  },
  datacenters_removed: {
    from: '2026-10-01',
    section: 'Datacenters',
    summary: 'The datacenter endpoints are gone; server_types.locations has what they told',
  },
  deprecated_field_removed: {
    from: '2026-11-02',
    section: 'Image',
    summary: 'The field deprecated of images and server types is gone; use deprecation',
  },
} as const satisfies Record<string, Change>

export type ChangeName = keyof typeof changes

const starts = new Map(Object.entries(changes).map(([name, change]) => [name, Date.parse(change.from)]))

/** Whether a change holds at `nowMs`. */
export function inEffect(name: ChangeName, nowMs: number): boolean {
  return nowMs >= (starts.get(name) as number)
}
