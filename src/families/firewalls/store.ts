/** Every statement on the table of firewalls; what they are applied to is in membership.ts. */
import { sql } from 'kysely'
import type { Labels } from '../../kernel/contract/labels.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { prepared } from '../../kernel/data/prepared.ts'
import { notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { indexLabels, readLabels } from '../../kernel/resource/label-index.ts'
import type { LimitedKind } from '../../kernel/resource/limits.ts'
import { type Listing, listPage, type PageQuery } from '../../kernel/resource/listing.ts'
import { changedMeanwhile, insertNamed, refusingTakenNames, replaceVersion } from '../../kernel/resource/update.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import { type Firewall, inOrder, type Rule } from './domain.ts'
import type { FirewallRow } from './tables.ts'

/** How many a Project may have is limited. */
export const limitedFirewalls: LimitedKind = { path: 'firewalls', title: 'firewall', type: 'firewall' }

const firewallListing: Listing = {
  table: 'firewall',
  kind: 'firewall',
  columns: { id: 'id', name: 'name', created: 'created' },
}

/** Rows written by earlier versions have their rules in any order. */
function fromRow({ id, name, labels, rules, created, version }: FirewallRow): Firewall {
  return { id, name, labels: readLabels(labels), rules: inOrder(JSON.parse(rules) as Rule[]), created, version }
}

export async function listFirewalls(query: Queries, scope: ProjectScope, page: PageQuery) {
  const { rows, pagination } = await listPage<FirewallRow>(query, scope, firewallListing, page)
  return { firewalls: rows.map(fromRow), pagination }
}

const firewallById = prepared((query, projectId: ProjectId, id: number) =>
  query
    .selectFrom('firewall')
    .selectAll()
    .select(
      sql<0 | 1>`exists (select 1 from firewall_application as a where a.firewall_id = firewall.id)`.as('is_applied'),
    )
    .where('project_id', '=', projectId)
    .where('id', '=', id),
)

/** Errors: `not_found`. */
export async function getFirewall(query: Queries, scope: ProjectScope, id: number): Promise<Firewall> {
  return (await getFirewallInUse(query, scope, id)).firewall
}

/** A firewall, and whether it is applied to anything: for most there is no more to ask. Errors: `not_found`. */
export async function getFirewallInUse(
  query: Queries,
  scope: ProjectScope,
  id: number,
): Promise<{ firewall: Firewall; isApplied: boolean }> {
  const [row] = await firewallById(query, scope.projectId, id)
  if (!row) throw notFound('firewall', id)
  return { firewall: fromRow(row), isApplied: Boolean(row.is_applied) }
}

/** Reads a firewall for a change: nobody else changes it until the transaction ends. Errors: `not_found`. */
export async function lockFirewall(tx: Transaction, scope: ProjectScope, id: number): Promise<Firewall> {
  const { rows } = await sql<FirewallRow>`
    select * from firewall where project_id = ${scope.projectId} and id = ${id} ${tx.dialect.lockRows('update')}
  `.execute(tx.query)
  if (!rows[0]) throw notFound('firewall', id)
  return fromRow(rows[0])
}

/** Those of `ids` that the Project has; they stay until the transaction ends. */
export async function holdFirewalls(
  tx: Transaction,
  scope: ProjectScope,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  const { rows } = await sql<{ id: number }>`
    select id from firewall where project_id = ${scope.projectId} and id in (${sql.join(ids)}) order by id
    ${tx.dialect.lockRows('share')}
  `.execute(tx.query)
  return new Set(rows.map((row) => row.id))
}

/** Errors: `uniqueness_error`. */
export async function insertFirewall(
  tx: Transaction,
  scope: ProjectScope,
  given: Pick<Firewall, 'name' | 'labels' | 'rules'>,
): Promise<Firewall> {
  const firewall: Firewall = { ...given, id: await drawId(tx), created: timestamp(tx.now), version: 1 }
  const row: FirewallRow = {
    ...firewall,
    project_id: scope.projectId,
    labels: JSON.stringify(given.labels),
    rules: JSON.stringify(given.rules),
  }
  await insertNamed(tx, 'firewall', row)
  await indexLabels(tx, scope, { kind: 'firewall', id: row.id }, given.labels, {})
  return firewall
}

/** Writes name and labels over the version that was read. Errors: `uniqueness_error`. */
export async function updateFirewall(
  tx: Transaction,
  scope: ProjectScope,
  before: Firewall,
  change: { name: string; labels: Labels },
): Promise<Firewall | typeof changedMeanwhile> {
  const row = await refusingTakenNames(() => replaceVersion<FirewallRow>(tx, scope, 'firewall', before, change))
  return row === changedMeanwhile ? row : fromRow(row)
}

/** Writes the rules of a firewall that the transaction holds. */
export async function replaceRules(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  rules: readonly Rule[],
): Promise<void> {
  await tx.query
    .updateTable('firewall')
    .set({ rules: JSON.stringify(rules) })
    .where('project_id', '=', scope.projectId)
    .where('id', '=', id)
    .execute()
}

/** Deletes a firewall that the transaction holds and that is applied to nothing. */
export async function deleteFirewall(tx: Transaction, scope: ProjectScope, firewall: Firewall): Promise<void> {
  await tx.query
    .deleteFrom('firewall')
    .where('project_id', '=', scope.projectId)
    .where('id', '=', firewall.id)
    .execute()
  await indexLabels(tx, scope, { kind: 'firewall', id: firewall.id }, {}, firewall.labels)
}
