/** Entries of the audit log as callers see them. */
import type { Static } from 'typebox'
import { resourcesOf } from './reading.ts'
import type { AuditRow } from './tables.ts'
import type { AuditEntry, AuditPage } from './wire.ts'

/** The wire form of an entry. */
export function entryToWire(row: AuditRow): Static<typeof AuditEntry> {
  const { id, time, actor, actor_id, actor_name, project_id, project_name } = row
  const { operation, family, outcome, status, correlation_id, network } = row
  return {
    id,
    time,
    actor: { kind: actor, id: actor_id, name: actor_name },
    project: project_id === null ? null : { id: project_id, name: project_name ?? '' },
    operation,
    family,
    resources: [...resourcesOf(row)],
    actions: JSON.parse(row.actions) as number[],
    outcome,
    status,
    correlation_id,
    network,
  }
}

const columns = [
  ...['id', 'time', 'actor_kind', 'actor_id', 'actor', 'project_id', 'project', 'operation', 'family', 'resources'],
  ...['outcome', 'status', 'correlation_id', 'network', 'actions'],
]

/** A page as CSV (RFC 4180), with a line of titles. */
export function pageToCsv({ audit }: Static<typeof AuditPage>): string {
  const lines = audit.map(({ id, time, actor, project, resources, actions, ...entry }) => {
    const { operation, family, outcome, status, correlation_id, network } = entry
    return [
      ...[id, time, actor.kind, actor.id, actor.name, project?.id, project?.name, operation, family],
      ...[resources.join(' '), outcome, status, correlation_id, network, actions.join(' ')],
    ]
  })
  return [columns, ...lines].map((line) => `${line.map(toField).join(',')}\r\n`).join('')
}

/** A field that no spreadsheet takes for a formula. */
function toField(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  const harmless = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
