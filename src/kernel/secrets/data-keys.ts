/**
 * Replaces the keys of Projects while they are used. Each Project gets a new key, with which everything is sealed from then
 * on; what other keys sealed is sealed again, some at a time; and then those keys are deleted. It may end anywhere and be
 * repeated: until all is done, the database has the keys of all that is sealed.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { databaseFailure } from '../data/dialect.ts'
import { acrossProjects } from '../data/scoped.ts'
import type { ProjectId } from '../scope.ts'
import { keyIdOf, type ProjectKeyRow, type SealedColumn, type SecretPlace, type Secrets } from './secrets.ts'

/** The most rows that one transaction changes. */
const batch = 50

/** The results of a renewal. */
export interface Renewal {
  /** The number of keys that were replaced. */
  readonly keys: number
  /** The number of secrets that were sealed again. */
  readonly secrets: number
  /** Secrets that no key opens. They are left as they are, with their keys. */
  readonly damaged: readonly SecretPlace[]
}

/** What the keys of Projects are like. */
export interface KeyState {
  /** The number of keys that are in use. */
  readonly inUse: number
  /** The time since when the oldest of them is in use; null when that is not known, or without any. */
  readonly oldest: string | null
  /** The number of keys that were replaced, and whose secrets have still to be sealed again. */
  readonly retired: number
}

/** Counts the keys of Projects. */
export async function keyStateOf(query: Queries): Promise<KeyState> {
  const keys = acrossProjects(query).selectFrom('project_key')
  const { used, dated, oldest } = await keys
    .where('retired', 'is', null)
    .select(({ fn }) => [fn.countAll().as('used'), fn.count('created').as('dated'), fn.min('created').as('oldest')])
    .executeTakeFirstOrThrow()
  const { retired } = await keys
    .where('retired', 'is not', null)
    .select(({ fn }) => fn.countAll().as('retired'))
    .executeTakeFirstOrThrow()
  return { inUse: Number(used), oldest: Number(used) === Number(dated) ? oldest : null, retired: Number(retired) }
}

/** Counts the secrets that are sealed with a key that was replaced. */
export async function countOutdated(query: Queries, columns: readonly SealedColumn[]): Promise<number> {
  let count = 0
  for (const { table, column } of columns) {
    const { rows } = await sql<{ count: unknown }>`
      select count(*) as count from ${outdated(table, column)}
    `.execute(query)
    count += Number(rows[0]!.count)
  }
  return count
}

/** Replaces the keys of all Projects, or ends what an earlier call had begun. */
export async function renewKeys(db: Database, secrets: Secrets, columns: readonly SealedColumn[]): Promise<Renewal> {
  const keys = await replaceAll(db, secrets)
  // What is replaced from now on is somebody else's to end.
  const retired = await acrossProjects(db.query)
    .selectFrom('project_key')
    .select('id')
    .where('retired', 'is not', null)
    .execute()
  const results = { secrets: 0, damaged: [] as SecretPlace[], needed: new Set<number>() }
  for (const column of columns) await sealAgain(db, secrets, column, results)
  const ids = retired.map(({ id }) => id).filter((id) => !results.needed.has(id))
  for (let from = 0; from < ids.length; from += batch) await deleteKeys(db, ids.slice(from, from + batch))
  return { keys, secrets: results.secrets, damaged: results.damaged }
}

/** Leaves out those that a call which did not end has replaced already. */
async function replaceAll(db: Database, secrets: Secrets): Promise<number> {
  const { began, last } = await acrossProjects(db.query)
    .selectFrom('project_key')
    .select(({ fn }) => [fn.min('retired').as('began'), fn.max('id').as('last')])
    .executeTakeFirstOrThrow()
  let count = 0
  for (;;) {
    const replaced = await paced(() => db.transact((tx) => replaceSome(tx, secrets, began, last)))
    count += replaced
    if (replaced === 0 && (await keysBefore(db.query, began, last).limit(1).execute()).length === 0) return count
  }
}

/** Keys that are being used for a secret are left for the next time, because nobody may wait for anybody else here. */
async function replaceSome(tx: Transaction, secrets: Secrets, began: string | null, last: number): Promise<number> {
  const kek = await secrets.holdKek(tx)
  const keys = keysBefore(tx.query, began, last).limit(batch).modifyEnd(tx.dialect.lockRows('skip'))
  const rows = await keys.execute()
  for (const row of rows) await secrets.replaceKey(tx, kek, row)
  return rows.length
}

function keysBefore(query: Queries, began: string | null, last: number) {
  const keys = acrossProjects(query).selectFrom('project_key').select(['id', 'project_id'])
  const inUse = keys
    .where('retired', 'is', null)
    .where('id', '<=', last ?? 0)
    .orderBy('id')
  if (began === null) return inUse
  return inUse.where(({ or, eb }) => or([eb('created', 'is', null), eb('created', '<', began)]))
}

interface Results {
  secrets: number
  readonly damaged: SecretPlace[]
  /** Keys that cannot be deleted. */
  readonly needed: Set<number>
}

/** A secret that is sealed with a key that is not in use. */
interface Outdated {
  readonly id: number
  readonly project_id: ProjectId
  readonly sealed: string
}

/** Goes through a column until nothing in it is left that was sealed with another key than the one in use. */
async function sealAgain(db: Database, secrets: Secrets, column: SealedColumn, results: Results): Promise<void> {
  const failed = new Set<number>()
  for (let after = 0, isWhole = true; ; ) {
    const found = await outdatedAfter(db.query, column, after)
    if (found.length === 0) {
      if (isWhole) return
      // Others held some of them, which have ended since, or are waited for.
      after = 0
      isWhole = true
      continue
    }
    after = found.at(-1)!.id
    const ids = found.map(({ id }) => id).filter((id) => !failed.has(id))
    if (ids.length === 0) continue
    const done = await paced(() => db.transact((tx) => sealSome(tx, secrets, column, ids)))
    results.secrets += done.sealed
    for (const row of done.damaged) {
      failed.add(row.id)
      results.damaged.push({ ...column, id: row.id })
      results.needed.add(keyIdOf(row.sealed))
    }
    if (done.seen < ids.length) isWhole = false
  }
}

/** Rows that others hold are left for the next time. */
async function sealSome(tx: Transaction, secrets: Secrets, column: SealedColumn, ids: readonly number[]) {
  const { table, column: name, key } = column
  const { rows } = await sql<Outdated>`
    select ${sql.ref(key)} as id, project_id, ${sql.ref(name)} as sealed from ${sql.table(table)}
    where ${sql.ref(key)} in (${sql.join(ids)}) and ${sql.ref(name)} is not null order by ${sql.ref(key)}
    ${tx.dialect.lockRows('skip')}
  `.execute(tx.query)
  const damaged: Outdated[] = []
  for (const row of rows) {
    const [scope, place] = [{ projectId: row.project_id }, { ...column, id: row.id }]
    const secret = await opened(() => secrets.open(tx.query, scope, place, row.sealed))
    if (secret === undefined) {
      damaged.push(row)
      continue
    }
    const sealed = await secrets.seal(tx, scope, place, secret)
    await sql`
      update ${sql.table(table)} set ${sql.ref(name)} = ${sealed}
      where project_id = ${row.project_id} and ${sql.ref(key)} = ${row.id}
    `.execute(tx.query)
  }
  return { seen: rows.length, sealed: rows.length - damaged.length, damaged }
}

/** Undefined for a secret that was changed, or whose key was. */
async function opened(open: () => Promise<string>): Promise<string | undefined> {
  try {
    return await open()
  } catch (error) {
    if (databaseFailure(error)) throw error
    return undefined
  }
}

async function outdatedAfter(query: Queries, { table, column, key }: SealedColumn, after: number): Promise<Outdated[]> {
  const { rows } = await sql<Outdated>`
    select held.${sql.ref(key)} as id, held.project_id, held.${sql.ref(column)} as sealed
    from ${outdated(table, column)} and held.${sql.ref(key)} > ${after}
    order by held.${sql.ref(key)} limit ${batch}
  `.execute(query)
  return rows
}

/** The rows with secrets that are sealed with a key that is not in use, as `held`. */
function outdated(table: string, column: string) {
  return sql`${sql.table(table)} as held join project_key as used
    on used.project_id = held.project_id and used.retired is null
    where held.${sql.ref(column)} <> '' and held.${sql.ref(column)} not like 's1.' || used.id || '.%'`
}

function deleteKeys(db: Database, ids: readonly ProjectKeyRow['id'][]): Promise<unknown> {
  return paced(() =>
    db.transact((tx) => acrossProjects(tx.query).deleteFrom('project_key').where('id', 'in', ids).execute()),
  )
}

/** Leaves others as much of the database's time as the work has taken. */
async function paced<T>(work: () => Promise<T>): Promise<T> {
  const begun = performance.now()
  const result = await work()
  await delay(performance.now() - begun)
  return result
}
