/**
 * How name servers hear of changes: whoever changes what they answer records the subject of the change in the same
 * transaction. The process that commits hears of it before the request is answered; others poll.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import type { Dialect } from '../../../kernel/data/dialect.ts'
import { preparedStatements } from '../../../kernel/data/prepared.ts'

interface DnsChangeRow {
  /** `zone:ID` or `address:ADDRESS`, with a network for IPv6. */
  readonly subject: string
  /** The database's time in milliseconds, at some moment of the transaction that changed it last. */
  readonly touched: number
}

declare module '../../../kernel/data/db.ts' {
  interface Tables {
    dns_change: DnsChangeRow
  }
}

/** What a change concerns. */
export type DnsSubject = `zone:${number}` | `address:${string}`

/** Announces that what name servers answer about something may be different from now on. */
export async function announceDns(tx: Transaction, subject: DnsSubject): Promise<void> {
  const { nowMs } = tx.dialect
  await changes(tx.query, '', { subject }, (given) =>
    tx.query
      .insertInto('dns_change')
      .values({ ...given, touched: nowMs })
      .onConflict((conflict) => conflict.column('subject').doUpdateSet({ touched: nowMs })),
  )
  tx.signal('dns', subject)
}

const changes = preparedStatements<unknown>()

/** Announces the same of all subjects that a select gives. */
export async function announceAllDns(
  tx: Transaction,
  subjects: RawBuilder<{ readonly subject: DnsSubject }>,
): Promise<void> {
  const { rows } = await sql<{ subject: string }>`
    insert into dns_change (subject, touched)
    select subject, ${tx.dialect.nowMs} from (${subjects}) as changed where true
    on conflict (subject) do update set touched = excluded.touched returning subject
  `.execute(tx.query)
  for (const { subject } of rows) tx.signal('dns', subject)
}

/** How long a transaction may take before a name server of another process misses what it announced. */
const longestTransactionMs = 60_000
const rowsAtOnce = 1_000

/** The clock of announcements: the database's time in milliseconds. */
export async function announcementTime(query: Queries, dialect: Dialect): Promise<number> {
  return (await sql<{ nowMs: number }>`select ${dialect.nowMs} as "nowMs"`.execute(query)).rows[0]!.nowMs
}

/**
 * What was announced since a time of the database, with an overlap for transactions that committed late, and the time
 * from which to ask the next time.
 */
export async function announcedSince(
  query: Queries,
  dialect: Dialect,
  sinceMs: number,
): Promise<{ rows: DnsChangeRow[]; nowMs: number }> {
  const nowMs = await announcementTime(query, dialect)
  const rows: DnsChangeRow[] = []
  for (let [touched, subject] = [sinceMs - longestTransactionMs, '']; ; ) {
    const some = await query
      .selectFrom('dns_change')
      .selectAll()
      .where(sql<boolean>`(touched, subject) > (${touched}, ${subject})`)
      .orderBy('touched')
      .orderBy('subject')
      .limit(rowsAtOnce)
      .execute()
    rows.push(...some)
    if (some.length < rowsAtOnce) return { rows, nowMs }
    touched = some.at(-1)!.touched
    subject = some.at(-1)!.subject
  }
}

/** How long an announcement is kept, in milliseconds: a name server that has not polled for longer reads all zones anew. */
export const announcementsKeptMs = 24 * 3_600_000

/** Deletes announcements that every name server has seen long ago, except those that are being renewed. */
export async function forgetAnnouncements({ query, dialect }: Transaction): Promise<void> {
  await sql`
    delete from dns_change where subject in (
      select subject from dns_change where touched < ${dialect.nowMs} - ${announcementsKeptMs} ${dialect.lockRows('skip')}
    )
  `.execute(query)
}
