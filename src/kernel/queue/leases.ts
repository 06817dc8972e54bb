/**
 * Work items in a table that processes claim. A claim holds a row for a limited time, its lease. Each claim increases
 * the fence, and a write with an older fence is refused: only one of several processes does the work, and one that
 * comes back late changes nothing. Workers serve all Projects, so these statements select by id and fence instead of by
 * Project.
 */
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database, EveryTable, Transaction } from '../data/db.ts'
import type { Dialect } from '../data/dialect.ts'
import { preparedChanges, preparedStatements } from '../data/prepared.ts'
import type { ProjectId } from '../scope.ts'

/** Columns that every work item has. */
export interface WorkRow {
  readonly id: number
  /** Increases with each claim; a write with an older fence is refused. */
  readonly fence: number
  readonly attempts: number
}

/** Work for a Project. */
export interface ProjectWork extends WorkRow {
  readonly project_id: ProjectId
}

/** A table of work items. */
export interface WorkTable {
  readonly name: keyof EveryTable
  /** The condition of rows that still have to be done. */
  readonly isOpen: RawBuilder<boolean>
  /** The column with the database time in milliseconds before which a row is not claimed. */
  readonly pause: string
  /** The column with the end of the lease, null without a lease; may be the same column. */
  readonly lease: string
  /** Column values of a row that nobody holds. */
  readonly unheld: Readonly<Record<string, unknown>>
  /** The columns by which claims are ordered. */
  readonly order: readonly string[]
}

/** The work that has not been done yet. */
export interface Backlog {
  readonly waiting: number
  /** The start of the oldest's wait; null when nothing waits. */
  readonly oldest: string | null
}

/** Reads a backlog by a statement that counts it. */
export async function backlogOf(counted: {
  executeTakeFirstOrThrow(): Promise<{ waiting: unknown; oldest: string | null }>
}): Promise<Backlog> {
  const { waiting, oldest } = await counted.executeTakeFirstOrThrow()
  return { waiting: Number(waiting), oldest }
}

/** Identifies a claim. */
export type Held = Pick<WorkRow, 'id' | 'fence'>

/** Thrown when another process has taken over the work; the loser writes nothing more. */
export class LeaseLost extends Error {}

/** The rows to claim, and the lease. */
export interface ClaimOptions {
  readonly limit: number
  /** Duration of the lease, in milliseconds of the database's clock. */
  readonly leaseMs: number
  /** Longer than any lease or pause, in milliseconds. */
  readonly longestMs: number
  /** Further conditions on the row, which is called `free`; `nowMs` is the calendar's time. */
  where?(nowMs: number): readonly RawBuilder<boolean>[]
  /** Names the conditions when they contain no values, so that the statement need not be written anew for each claim. */
  readonly form?: string
  readonly search?: Search
  /** Further columns that the claim sets. */
  readonly set?: Readonly<Record<string, unknown>>
}

/** Narrows the rows that a worker looks for. */
export interface Search {
  /** Rows that the worker still works on; they are skipped even if their leases have expired. */
  readonly underWay?: readonly number[]
  /** Only these rows instead of all. */
  readonly among?: readonly number[] | undefined
  /** Projects that have reached their limit; their rows are skipped. */
  readonly fullProjects?: readonly ProjectId[]
  /** Only rows of these Projects, and of each at most so many. */
  readonly shares?: ReadonlyMap<ProjectId, number>
}

/** A claimed row, with the database time of the claim in milliseconds. */
export type Claimed<Row extends WorkRow> = Row & { readonly claimed_at: number }

/**
 * Tells whether the database's clock has passed a column. A time further ahead than any lease or pause was written
 * before the clock was set back, and is ignored.
 */
function isOver({ nowMs }: Dialect, column: string, longestMs: number): RawBuilder<boolean> {
  return sql`${sql.ref(column)} not between ${nowMs} + 1 and ${nowMs} + ${longestMs}`
}

/** Claims up to `limit` free rows, in order; of Projects with shares, those of one after the other. */
export function claimWork<Row extends WorkRow>(
  db: Database,
  table: WorkTable,
  options: ClaimOptions,
): Promise<Claimed<Row>[]> {
  const { shares } = options.search ?? {}
  const claim = (tx: Transaction) =>
    shares ? claimShares<Row>(tx, table, options, shares) : claimWithin<Row>(tx, table, options)
  // A claim means nothing without what its holder writes later; after a power failure nobody holds any.
  return db.transact(claim, { isDurable: false })
}

async function claimShares<Row extends WorkRow>(
  tx: Transaction,
  table: WorkTable,
  options: ClaimOptions,
  shares: ReadonlyMap<ProjectId, number>,
): Promise<Claimed<Row>[]> {
  const rows: Claimed<Row>[] = []
  for (const [project, limit] of shares)
    rows.push(...(await claimWithin<Row>(tx, table, { ...options, limit }, project)))
  return rows
}

/**
 * Lists Projects with rows that have still to be done, in the order of their ids, those after a given one first. Each is
 * looked up by itself, so that it does not matter how many rows it has.
 */
export async function projectsAfter(
  { query }: Pick<Database, 'query'>,
  { name, isOpen }: WorkTable,
  after: ProjectId | undefined,
  limit: number,
): Promise<readonly ProjectId[]> {
  const next = (than: RawBuilder<unknown>) =>
    sql`select min(project_id) from ${sql.table(name)} where ${isOpen} and project_id > ${than}`
  const { rows } = await sql<{ id: ProjectId }>`
    with recursive met (id) as (
      select (${next(sql`${after ?? 0}`)})
      union all
      select (${next(sql`met.id`)}) from met where met.id is not null
    )
    select id from met where id is not null limit ${limit}
  `.execute(query)
  const ids = rows.map(({ id }) => id)
  if (after === undefined || ids.length === limit) return ids
  const first = await projectsAfter({ query }, { name, isOpen } as WorkTable, undefined, limit - ids.length)
  return [...ids, ...first.filter((id) => !ids.includes(id))]
}

/** The same within a transaction. Rows that are claimed among given ones come in no order. */
export async function claimWithin<Row extends WorkRow>(
  { query, dialect, now }: Transaction,
  table: WorkTable,
  { limit, leaseMs, longestMs, where = () => [], form, search = {}, set = {} }: ClaimOptions,
  project?: ProjectId,
): Promise<Claimed<Row>[]> {
  const { underWay = [], among, fullProjects = [] } = search
  const asked = among && alike(among.filter((id) => !underWay.includes(id)))
  if (asked?.length === 0) return []
  const most = asked && among.length <= limit ? undefined : limit
  const values = { leaseMs, longestMs, set, asked, underWay: asked ? [] : alike(underWay), fullProjects, project }
  const build = (given: ClaimValues) => claiming(dialect, table, given, where(now), most)
  if (form === undefined) return (await (build(values) as RawBuilder<Claimed<Row>>).execute(query)).rows
  const rows = await claims(query, `${table.name} ${form} ${most}`, values, build)
  return [...rows] as Claimed<Row>[]
}

const claims = preparedStatements<unknown>()

/** What differs from claim to claim. */
type ClaimValues = Pick<ClaimOptions, 'leaseMs' | 'longestMs'> & {
  readonly set: Readonly<Record<string, unknown>>
  readonly asked: readonly number[] | undefined
  readonly underWay: readonly number[]
  readonly fullProjects: readonly ProjectId[]
  readonly project: ProjectId | undefined
}

/** The statement that claims at most `limit` rows, or all that are asked for. */
function claiming(
  dialect: Dialect,
  { name, isOpen, pause, lease, order }: WorkTable,
  { leaseMs, longestMs, set, asked, underWay, fullProjects, project }: ClaimValues,
  where: readonly RawBuilder<boolean>[],
  limit: number | undefined,
): RawBuilder<unknown> {
  const conditions = [
    isOpen,
    isOver(dialect, pause, longestMs),
    ...(lease === pause ? [] : [sql`(${sql.ref(lease)} is null or ${isOver(dialect, lease, longestMs)})`]),
    ...(asked ? [sql`id in (${sql.join(asked)})`] : []),
    ...(underWay.length > 0 ? [sql`id not in (${sql.join(underWay)})`] : []),
    ...(project === undefined ? [] : [sql`project_id = ${project}`]),
    ...(fullProjects.length > 0 ? [sql`project_id not in (${sql.join(fullProjects)})`] : []),
    ...where,
  ]
  const assigned = Object.entries(set).map(([column, value]) => sql`${sql.ref(column)} = ${value}, `)
  const columns = order.map((column) => sql.ref(column))
  // SQLite prepares a statement whose limit is a parameter anew each time that it runs.
  const bounded = limit === undefined ? sql`` : sql`limit ${dialect.shared ? limit : sql.lit(limit)}`
  return sql`
    with claimed as (
      select id from ${sql.table(name)} as free
      where ${sql.join(conditions, sql` and `)}
      order by ${sql.join(columns)} ${bounded} ${dialect.lockRows('skip')}
    )
    update ${sql.table(name)}
    set ${sql.join(assigned, sql``)}${sql.ref(lease)} = ${dialect.nowMs} + ${leaseMs},
      fence = fence + 1, attempts = attempts + 1
    where ${isOpen} and id in (select id from claimed)
    returning *, ${dialect.nowMs} as claimed_at
  `
}

/** The same ids in a list of one of a few lengths, so that few statements are prepared. */
function alike(ids: readonly number[]): readonly number[] {
  const length = [1, 4, 16, 64, 128].find((some) => ids.length <= some) ?? ids.length
  return ids.length === 0 ? ids : [...ids, ...Array<number>(length - ids.length).fill(ids[0]!)]
}

/** An update of a table of which only the common columns are known. */
function update({ query }: Transaction, { name, isOpen }: WorkTable) {
  return (query as unknown as Kysely<Record<string, WorkRow>>).updateTable(name as string).where(isOpen)
}

/** Changes a claimed row; writes nothing when there is a newer claim. Errors: `LeaseLost`. */
export async function writeHeld(
  tx: Transaction,
  table: WorkTable,
  { id, fence }: Held,
  change: Readonly<Record<string, unknown>>,
): Promise<void> {
  const statement = (given: HeldChange) =>
    update(tx, table).set(given.change).where('id', '=', given.id).where('fence', '=', given.fence)
  const isPlain = Object.values(change).every((value) => value === null || typeof value !== 'object')
  const given = { change, id, fence }
  const written = isPlain
    ? await writes(tx.query, table.name, given, statement)
    : Number((await statement(given).executeTakeFirstOrThrow()).numUpdatedRows)
  if (written !== 1) throw new LeaseLost(`${table.name} ${id} has been taken over`)
}

/**
 * A release leads a fence to the next multiple and a claim adds one, so that a fence tells how many claims there were since
 * the last release. It is far more than there ever are.
 */
const claimsBetweenReleases = 1_000

/** Tells whether a claim took over what another worker had claimed and never gave back, as when its process died. */
export function isTakenOver({ fence }: Pick<WorkRow, 'fence'>): boolean {
  return fence % claimsBetweenReleases > 1
}

const fenceAfterRelease = (fence: number) => (Math.floor(fence / claimsBetweenReleases) + 1) * claimsBetweenReleases

interface HeldChange extends Held {
  readonly change: Readonly<Record<string, unknown>>
}

const writes = preparedChanges()

export interface Release {
  /** Missing for work that has not begun, which waits neither longer nor shorter than it would have. */
  readonly delayMs?: number
  /** True when the released claim counts as an attempt. */
  readonly counts: boolean
}

/**
 * Releases a claim so that any worker may continue, at once or after a delay. The previous holder can no longer record
 * results. Errors: `LeaseLost`.
 */
export async function releaseHeld(
  tx: Transaction,
  table: WorkTable,
  held: Held,
  { delayMs, counts }: Release,
  change: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await writeHeld(tx, table, held, {
    ...change,
    ...table.unheld,
    fence: fenceAfterRelease(held.fence),
    ...(delayMs === undefined ? {} : { [table.pause]: sql`${tx.dialect.nowMs} + ${Math.round(delayMs)}` }),
    ...(counts ? {} : { attempts: sql`attempts - 1` }),
  })
}

/** Extends the claims on `ids` that match `isHeld`; returns their ids. */
export async function extendHeld(
  db: Database,
  table: WorkTable,
  isHeld: RawBuilder<boolean>,
  ids: readonly number[],
  leaseMs: number,
): Promise<Set<number>> {
  if (ids.length === 0) return new Set()
  const rows = await db.transact((tx) =>
    update(tx, table)
      .set({ [table.lease]: sql`${tx.dialect.nowMs} + ${leaseMs}` })
      .where(isHeld)
      .where('id', 'in', ids)
      .returning('id')
      .execute(),
  )
  return new Set(rows.map(({ id }) => id))
}

/**
 * Drops the claims of dead processes when this process is the only user of the database. What waited before another attempt
 * is tried at once; what takes its time goes on with it.
 */
export async function forgetClaims(db: Database, table: WorkTable): Promise<void> {
  if (db.dialect.shared) return
  const pause = sql.ref(table.pause)
  const left = table.pause === table.lease ? 0 : sql`case when ${pause} = 0 or attempts = 0 then ${pause} else 1 end`
  await db.transact((tx) =>
    update(tx, table)
      .set({ ...table.unheld, [table.pause]: left })
      .execute(),
  )
}

/** Exponential backoff after a failed attempt, with jitter, in milliseconds; limited to about `longestMs`. */
export function backoffMs(firstMs: number, attempts: number, longestMs = Number.POSITIVE_INFINITY): number {
  return Math.min(longestMs, firstMs * 2 ** (attempts - 1)) * (0.75 + Math.random() / 2)
}
