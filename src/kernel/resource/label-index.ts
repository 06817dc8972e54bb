/**
 * The index by which label selectors find resources. A row's own `labels` text stays the truth; this table repeats it,
 * one row a label, in the same transaction, so that a list can start from a label instead of from the whole family.
 */

import { sql } from 'kysely'
import type { Labels } from '../contract/labels.ts'
import { drivingTerms, type Selector, type Term } from '../contract/selectors.ts'
import type { Queries, Transaction } from '../data/db.ts'
import { insertRowsLate, preparedStatements } from '../data/prepared.ts'
import { scoped } from '../data/scoped.ts'
import { type AtOnce, after, inSteps, type Steps, value } from '../process/at-once.ts'
import { remembering } from '../process/remembered.ts'
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
    await insertRowsLate(tx, 'label', rows)
  }
}

/** A nested select of the ids of resources that carry the term's label, or its key unless the term is `in`. */
export function idsLabelled(query: Queries, scope: ProjectScope, kind: string, { key, ...term }: Condition) {
  const ids = scoped(query, scope)
    .selectFrom('label')
    .select('resource_id')
    .where('kind', '=', kind)
    .where('key', '=', key)
  return term.op === 'in' ? ids.where('value', 'in', term.values) : ids
}

/** The part of a term that the index looks up. */
type Condition = Pick<Term, 'op' | 'key' | 'values'>

/** The part of the ids with a label that is asked for: past which one, in which order, how many. */
export interface IdRange {
  readonly after: number | undefined
  readonly descending: boolean
  readonly limit: number
}

/** A select of the ids of resources that carry the term's label, or its key unless the term is `in`, in order. */
export function selectLabelled(
  query: Queries,
  scope: ProjectScope,
  kind: string,
  term: Condition,
  { after, descending, limit }: IdRange,
) {
  const run = (values: readonly string[]) => {
    const ids = idsLabelled(query, scope, kind, { ...term, values })
    return after === undefined ? ids : ids.where('resource_id', descending ? '<' : '>', after)
  }
  // Each value is a run of the index that is in order already; the database merges them and does not sort.
  const [first, ...others] = term.op === 'in' ? term.values.map((value) => run([value])) : [run([])]
  const runs = others.reduce((all, one) => all.unionAll(one), first!)
  return runs.orderBy('resource_id', descending ? 'desc' : 'asc').limit(limit)
}

/** A row's `labels` text as labels. */
export const readLabels = remembering((text) => JSON.parse(text) as Labels)

/** How many index entries are read of each label to tell which is the rarer one: at first, and where that was not enough. */
export const looks = { first: [200], further: [3_200] } as const

/**
 * The term of a selector that the fewest resources carry, as far as looks of some sizes at the index tell; undefined when
 * no term can be looked up.
 */
export function rarestTerm(
  query: Queries,
  scope: ProjectScope,
  kind: string,
  selector: Selector,
  sizes: readonly number[] = [...looks.first, ...looks.further],
): AtOnce<Term | undefined> {
  const terms = drivingTerms(selector)
  if (terms.length < 2) return terms[0]
  return inSteps(rarestOf(terms, sizes, (term, size) => countLabelled(query, scope, kind, term, size)))
}

function* rarestOf(
  terms: readonly Term[],
  sizes: readonly number[],
  countOf: (term: Term, most: number) => AtOnce<number>,
): Steps<Term> {
  let rarest = terms[0]!
  for (const size of sizes) {
    let least = size
    for (const term of terms) {
      const count = yield* value(countOf(term, size))
      if (count < least) [rarest, least] = [term, count]
    }
    if (least < size) break
  }
  return rarest
}

const counts = preparedStatements<{ total: number }>()

/** Counts the resources that carry the term's label, no further than `most`. */
export function countLabelled(
  query: Queries,
  { projectId }: ProjectScope,
  kind: string,
  { op, key, values }: Term,
  most: number,
): AtOnce<number> {
  const given = { projectId, key, values: op === 'in' ? values : [] }
  const found = counts(query, `${kind} ${op} ${most}`, given, ({ projectId, ...term }) =>
    query
      .selectFrom(
        idsLabelled(query, { projectId }, kind, { ...term, op })
          .limit(most)
          .as('some'),
      )
      .select(sql<number>`count(*)`.as('total')),
  )
  return after(found, ([row]) => row!.total)
}
