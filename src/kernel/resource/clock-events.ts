/** Rows of all Projects to which something happens at a time that a column says. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { EveryTable, Queries } from '../data/db.ts'
import { preparedStatements } from '../data/prepared.ts'
import { acrossProjects } from '../data/scoped.ts'
import { type ClockEvent, timestamp } from '../process/clock.ts'
import type { ProjectId } from '../scope.ts'

/** A column of a row says the time of an event. */
interface ColumnEvents<T extends keyof EveryTable> {
  readonly table: T
  /** A timestamp, or milliseconds since the epoch; null in rows to which it does not happen. It has an index. */
  readonly column: keyof EveryTable[T] & string
  readonly holds: 'timestamp' | 'milliseconds'
  /** The column with the id of what it happens to; `id` by default. */
  readonly id?: keyof EveryTable[T] & string
  /** The type of the resource, such as `server`, and the name of the event. */
  readonly type: string
  readonly event: string
  /** It happens so much earlier than the column says, in milliseconds; 0 by default. */
  readonly earlierMs?: number
  /** A condition that the index has. */
  readonly where?: string
  /** True for rows that belong to the installation, so that they have no Project. */
  readonly isOfNobody?: true
}

interface Row {
  readonly id: number
  readonly project_id: ProjectId | null
  readonly at: number | string
}

const read = preparedStatements<Row>()

/** The next events of rows after a time, in order, at most `limit`. */
export async function eventsOfRows<T extends keyof EveryTable>(
  query: Queries,
  events: ColumnEvents<T>,
  afterMs: number,
  limit: number,
): Promise<ClockEvent[]> {
  const { table, column, holds, id = 'id', type, event, earlierMs = 0, where = '' } = events
  const from = holds === 'timestamp' ? timestamp(afterMs + earlierMs) : afterMs + earlierMs
  const kind = `${table} ${column} ${id} ${where} ${limit}`
  const found = await read(query, kind, { from }, ({ from }) => nextRows(query, events, from, limit))
  return found.map(({ id, project_id, at }) => ({
    atMs: (typeof at === 'string' ? Date.parse(at) : at) - earlierMs,
    event,
    subject: { projectId: project_id, type, id },
  }))
}

function nextRows<T extends keyof EveryTable>(
  query: Queries,
  { table, column, id = 'id' as never, where, isOfNobody }: ColumnEvents<T>,
  after: number | string,
  limit: number,
) {
  const all = acrossProjects(query) as unknown as Kysely<Record<string, Record<string, number | string>>>
  const rows: SelectQueryBuilder<Record<string, Record<string, number | string>>, string, Row> = all
    .selectFrom(table as string)
    .select([
      sql<number>`${sql.ref(id)}`.as('id'),
      sql<ProjectId | null>`${isOfNobody ? sql`null` : sql.ref('project_id')}`.as('project_id'),
      sql<number | string>`${sql.ref(column)}`.as('at'),
    ])
    .where(column as string, '>', after) as never
  const some = where === undefined ? rows : rows.where(sql<boolean>`${sql.raw(where)}`)
  return some.orderBy(column).orderBy(id).limit(limit)
}

/** The first of several events, in the order of their times; what happens at once stays in the given order. */
export function firstEvents(events: readonly (readonly ClockEvent[])[], limit: number): ClockEvent[] {
  return events
    .flat()
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, limit)
}
