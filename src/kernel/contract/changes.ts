/**
 * Dated changes of the API as data (spec: Versioning). The server behaves as of its clock's date: code asks `inEffect`,
 * and contracts name the change that brought or removed an endpoint or added a field (`since`). Each family brings the
 * changes that are about it; here are those that are about all. GET /v1/changes serves the whole calendar.
 */

/** The description of a change. */
interface ChangeRow {
  /** First day on which it is in effect, in UTC. If only the month is known, its first day. */
  readonly from: string
  /** Section of docs/contract.md that it changes. */
  readonly section: string
  readonly summary: string
  /** The reason why it makes no difference here at any date. */
  readonly standing?: string
}

export interface Change extends ChangeRow {
  readonly name: string
  /** The date of its effect, in milliseconds since the epoch. */
  readonly fromMs: number
}

/** Defines dated changes by their names. */
export function defineChanges<const T extends Readonly<Record<string, ChangeRow>>>(
  rows: T,
): { readonly [Name in keyof T]: Change } {
  const changes = Object.entries(rows).map(([name, row]) => [name, { ...row, name, fromMs: Date.parse(row.from) }])
  return Object.fromEntries(changes) as { readonly [Name in keyof T]: Change }
}

/** Tells whether a change holds at `nowMs`. */
export function inEffect(change: Change, nowMs: number): boolean {
  return nowMs >= change.fromMs
}

export const kernelChanges = defineChanges({
  architecture_added: {
    from: '2023-04-01',
    section: 'Image',
    summary: 'Images and server types have an architecture, and images can be filtered by it',
  },
  action_endpoints_added: {
    from: '2023-06-01',
    section: 'Actions',
    summary: 'Every family with actions has /<family>/actions and /<family>/actions/{id}',
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
  compression_added: {
    from: '2024-07-01',
    section: 'Pagination and sorting rules',
    summary: 'Answers are compressed with gzip or brotli on request (for good since 26 Aug 2024)',
  },
  actions_listing_removed: {
    from: '2025-01-30',
    section: 'Actions',
    summary: 'GET /actions needs ids: all actions are no longer listed',
  },
  rfc3339_timestamps: {
    from: '2025-12-01',
    section: 'Common types',
    summary: 'Timestamps are RFC 3339 and end in Z',
  },
  resource_action_deprecated: {
    from: '2026-04-01',
    section: 'Actions',
    summary: 'GET /<resource>/{id}/actions/{action_id} is deprecated',
    standing: 'it goes on answering; no removal is planned',
  },
  deprecated_field_removed: {
    from: '2026-11-02',
    section: 'Image',
    summary: 'The field deprecated of images and types is gone; use deprecation',
  },
  link_header_removed: {
    from: '2027-04-01',
    section: 'Pagination and sorting rules',
    summary: 'Lists no longer carry the Link header; use meta.pagination',
  },
})
