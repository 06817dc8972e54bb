/** Label selectors that rows of a Project hold, found from the labels that they may match. */
import type { Labels } from '../contract/labels.ts'
import {
  canonical,
  conditionOf,
  conditionsMet,
  drivingTerms,
  matches,
  type Selector,
  storedSelector,
} from '../contract/selectors.ts'
import type { Queries, TenantTables } from '../data/db.ts'
import { preparedStatements } from '../data/prepared.ts'
import { type Scoped, scoped, type TenantTable } from '../data/scoped.ts'
import type { ProjectScope } from '../scope.ts'

/** The columns of a row that may hold a selector. */
export interface SelectorColumns {
  /** The selector as given, and in the form in which two of the same meaning are equal; null in rows without one. */
  readonly selector: string | null
  readonly selector_key: string | null
  /** The condition without which labels cannot match the selector; empty when there is none. */
  readonly leading_term: string
}

interface SelectorRow extends SelectorColumns {
  readonly id: number
}

type SelectorTable = { [T in TenantTable]: TenantTables[T] extends SelectorRow ? T : never }[TenantTable]

/** The selectors of a table. */
export interface StoredSelectors<Row> {
  /**
   * The rows whose selectors match some labels, oldest first. Selectors whose leading term the labels do not meet are not
   * read; the others are read some at a time, so that other requests get their turn.
   */
  matching(query: Queries, scope: ProjectScope, labels: Labels): Promise<Row[]>
  /** The columns of a new row. */
  columns(query: Queries, scope: ProjectScope, selector: Selector | null): Promise<SelectorColumns>
}

const selectorsAtOnce = 200

/** Defines the selectors that rows of a table hold; an index has its rows by Project, leading term and id. */
export function defineSelectors<const T extends SelectorTable>(table: T): StoredSelectors<TenantTables[T]> {
  const rowsOf = (query: Queries, scope: ProjectScope) =>
    (scoped(query, scope) as unknown as Scoped<Record<string, SelectorRow>>).selectFrom(table as string)
  const led = preparedStatements<SelectorRow>()
  return {
    async matching(query, scope, labels) {
      const conditions = conditionsMet(labels)
      const found: SelectorRow[] = []
      for (let after = 0; ; ) {
        const given = { projectId: scope.projectId, conditions, after }
        const some = await led(query, '', given, ({ conditions, after, ...scope }) =>
          rowsOf(query, scope)
            .selectAll()
            .where('selector', 'is not', null)
            .where('leading_term', 'in', conditions)
            .where('id', '>', after)
            .orderBy('id')
            .limit(selectorsAtOnce),
        )
        found.push(...some.filter(({ selector }) => matches(storedSelector(selector as string), labels)))
        if (some.length < selectorsAtOnce) return found as unknown as TenantTables[T][]
        after = some.at(-1)!.id
        await new Promise(setImmediate)
      }
    },
    async columns(query, scope, selector) {
      if (selector === null) return { selector: null, selector_key: null, leading_term: '' }
      const leading = await leadingTerm(selector, async (conditions) => {
        const rows = await rowsOf(query, scope)
          .select(['leading_term', (count) => count.fn.countAll<number>().as('selectors')])
          .where('selector', 'is not', null)
          .where('leading_term', 'in', conditions)
          .groupBy('leading_term')
          .execute()
        return new Map(rows.map((row) => [row.leading_term, Number(row.selectors)]))
      })
      return { selector: selector.text, selector_key: canonical(selector), leading_term: leading }
    },
  }
}

/** The term of a selector that leads the fewest other selectors, so that no label has many to be judged. */
async function leadingTerm(
  selector: Selector,
  countLed: (conditions: readonly string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<string> {
  const conditions = drivingTerms(selector).map(conditionOf)
  if (conditions.length < 2) return conditions[0] ?? ''
  const counts = await countLed(conditions)
  const count = (condition: string) => counts.get(condition) ?? 0
  return conditions.reduce((best, condition) => (count(condition) < count(best) ? condition : best))
}
