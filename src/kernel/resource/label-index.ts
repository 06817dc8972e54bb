/**
 * The index by which label selectors find resources. A row's own `labels` text stays the truth; this table repeats it,
 * one row a label, in the same transaction, so that a list can start from a label instead of from the whole family.
 */

import { sql } from 'kysely'
import type { Labels } from '../contract/labels.ts'
import { drivingTerms, type Selector, type Term } from '../contract/selectors.ts'
import type { Queries, Transaction } from '../data/db.ts'
import { insertRowsAlong } from '../data/prepared.ts'
import { scoped } from '../data/scoped.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'

interface LabelRow {
  readonly project_id: ProjectId
  /** The type of the labelled resource, such as `server`. */
  readonly kind: string
  readonly resource_id: number
  readonly key: string
  readonly value: string
}

declare module '../data/db.ts' {
  interface TenantTables {
    label: LabelRow
  }
}

export interface Labelled {
  readonly kind: string
  readonly id: number
}

/** Makes the index say `next` where it said `previous`. Pass `{}` as previous for a new resource, as next for a deleted one. */
export async function indexLabels(
  tx: Transaction,
  scope: ProjectScope,
  { kind, id }: Labelled,
  next: Labels,
  previous: Labels,
): Promise<void> {
  const gone = Object.keys(previous).filter((key) => next[key] !== previous[key])
  const added = Object.entries(next).filter(([key, value]) => previous[key] !== value)
  if (gone.length > 0) {
    await scoped(tx.query, scope)
      .deleteFrom('label')
      .where('kind', '=', kind)
      .where('resource_id', '=', id)
      .where('key', 'in', gone)
      .execute()
  }
  if (added.length > 0) {
    const rows = added.map(([key, value]) => ({ project_id: scope.projectId, kind, resource_id: id, key, value }))
    await insertRowsAlong(tx, 'label', rows)
  }
}

/** A nested select of the ids of resources that carry the term's label, or its key unless the term is `in`. */
export function idsLabelled(query: Queries, scope: ProjectScope, kind: string, term: Term) {
  const ids = scoped(query, scope)
    .selectFrom('label')
    .select('resource_id')
    .where('kind', '=', kind)
    .where('key', '=', term.key)
  return term.op === 'in' ? ids.where('value', 'in', term.values) : ids
}

/** The part of the ids with a label that is asked for: in which order, past which one, how many. */
export interface IdRange {
  readonly descending: boolean
  readonly after: number | undefined
  readonly limit: number
}

/** Ids of resources that carry the term's label, or its key unless the term is `in`, in order. */
export async function idsInOrder(
  query: Queries,
  scope: ProjectScope,
  kind: string,
  term: Term,
  { descending, after, limit }: IdRange,
): Promise<number[]> {
  const base = scoped(query, scope)
    .selectFrom('label')
    .select('resource_id')
    .where('kind', '=', kind)
    .where('key', '=', term.key)
    .$if(after !== undefined, (select) => select.where('resource_id', descending ? '<' : '>', after as number))
    .orderBy('resource_id', descending ? 'desc' : 'asc')
    .limit(limit)
  // Each value is a run of the index that is in order already; a few runs are merged here rather than sorted there.
  const runs =
    term.op === 'in'
      ? await Promise.all(term.values.map((value) => base.where('value', '=', value).execute()))
      : [await base.execute()]
  const ids = runs.flat().map((row) => row.resource_id)
  if (runs.length > 1) ids.sort((a, b) => (descending ? b - a : a - b))
  return ids.slice(0, limit)
}

/** A row's `labels` text as labels. */
export function readLabels(text: string): Labels {
  return JSON.parse(text) as Labels
}

/** The numbers of index entries that are read to tell which of two labels is rarer. */
const looks = [50, 400, 3_200]

/**
 * The term of a selector that the fewest resources carry, as far as a short look at the index tells; undefined when no
 * term can be looked up.
 */
export async function rarestTerm(
  query: Queries,
  scope: ProjectScope,
  kind: string,
  selector: Selector,
): Promise<Term | undefined> {
  const terms = drivingTerms(selector)
  if (terms.length < 2) return terms[0]
  for (const look of looks) {
    for (const term of terms) if ((await countLabelled(query, scope, kind, term, look)) < look) return term
  }
  return terms[0]
}

/** Counts the resources that carry the term's label, no further than `most`. */
async function countLabelled(
  query: Queries,
  scope: ProjectScope,
  kind: string,
  term: Term,
  most: number,
): Promise<number> {
  const { total } = await query
    .selectFrom(idsLabelled(query, scope, kind, term).limit(most).as('some'))
    .select(sql<number>`count(*)`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}
