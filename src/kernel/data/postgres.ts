/** The PostgreSQL database: transactions and reads, each on a pooled connection. */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Clock } from '../process/clock.ts'
import { SharedCommits } from './commits.ts'
import { type Database, guarded, handle, Listeners, type Queries, type Transaction, TroubleListeners } from './db.ts'
import { type Dialect, generatedKey, guardStatement, locationOf, retentionStatement } from './dialect.ts'
import { drawWith, Lookups } from './lookups.ts'
import { Connections, type PostgresOptions, read } from './pool.ts'
import { kyselyOn } from './postgres-kysely.ts'
import { handleOf, runsPrepared } from './prepared.ts'
import { transactOnce, withRetries } from './transactions.ts'

const postgresDialect: Dialect = {
  shared: true,
  ddl: (statement) =>
    statement
      .replace(/\binteger\b/gi, 'bigint')
      .replace(generatedKey, 'primary key generated always as identity')
      .replace(
        guardStatement,
        `create function $1() returns trigger language plpgsql as 'begin raise exception ''$1''; end';
       create trigger $1 before update on $2 for each row when ($3) execute function $1()`,
      )
      .replace(
        retentionStatement,
        `create function $1() returns trigger language plpgsql as '
       begin
         if tg_op <> ''TRUNCATE'' then
           if old.time::timestamptz <= (select time::timestamptz - interval ''1 day'' from $2 order by id desc limit 1)
           then return old; end if;
         end if;
         raise exception ''$1'';
       end';
       create trigger $1 before delete on $2 for each row execute function $1();
       create trigger $1_whole before truncate on $2 for each statement execute function $1()`,
      ),
  title: 'PostgreSQL',
  sizeBytes: sql<number>`pg_database_size(current_database())`,
  nowMs: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
  lockRows: (mode) =>
    mode === 'skip' ? sql`for no key update skip locked` : mode === 'share' ? sql`for share` : sql`for no key update`,
  // Sorted, so that two transactions with the same keys never deadlock.
  lockKeys: (keys, mode = 'update') => sql`
    select ${sql.raw(mode === 'share' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock')}(key)
    from unnest(${`{${[...keys].sort().map(hash64)}}`}::bigint[]) as wanted (key)`,
}

/** The first 64 bits of a key's hash, as the text of a signed number. */
function hash64(key: string): string {
  return createHash('sha256').update(key).digest().readBigInt64BE().toString()
}

// ---- The database --------------------------------------------------------------------------------------------------

/** A PostgreSQL database, which several processes may share. */
export function openPooled(url: string, clock: Clock, options?: PostgresOptions): Database {
  const troubles = new TroubleListeners()
  const connections = new Connections(url, troubles, options)
  const lookups = new Lookups(connections)
  const shared = { connections, commits: new SharedCommits(connections) }
  const heard = new Listeners()
  const queries = kyselyOn(async () => {
    const { connection, release } = await connections.lease()
    return { run: (statement) => read(connection, statement), release }
  })
  runsPrepared(queries, {
    engine: 'postgres',
    run: (text, values) => lookups.run(text, values),
    async runLarge(text, values) {
      const { connection, release } = await connections.lease()
      try {
        return await read(connection, { text, values })
      } finally {
        release()
      }
    },
  })
  return {
    image: undefined,
    watch: undefined,
    pool: () => connections.state(),
    dialect: postgresDialect,
    location: locationOf({ engine: 'postgres', url }),
    get query() {
      return guarded(queries)
    },
    // All transactions are durable: this process survives a crash of the server and must not act on lost commits.
    async transact(work) {
      guarded(queries)
      const followUps: (() => void)[] = []
      const result = await withRetries(() => {
        followUps.length = 0
        return transactOnce(shared, (query, provenBy) => {
          const parts = { query, settings: queries, dialect: postgresDialect, now: clock.now(), provenBy }
          return work(handle({ ...parts, ...idsFrom(lookups, query) }, followUps, heard))
        })
      })
      for (const next of followUps) next()
      return result
    },
    listen: (topic, listener) => heard.add(topic, listener),
    takers: heard.takers,
    onTrouble: (listener) => troubles.add(listener),
    async close() {
      await lookups.close()
      await connections.close()
    },
  }
}

/** A transaction that draws an id mostly draws more, so its first draw fetches spare ones. */
const spareIds = 3

function idsFrom(lookups: Lookups, query: Queries): Pick<Transaction, 'drawIds' | 'expectIds'> {
  let spare: number[] = []
  let expected: Promise<number[]> | undefined
  return {
    async drawIds(count, { fresh } = { fresh: false }) {
      if (expected && !fresh) {
        const coming = expected
        expected = undefined
        spare = await coming
      }
      // Fresh ones are drawn with the transaction's own statements, behind the lock that it has just asked for.
      if (fresh && count > 0) spare = await drawWith(handleOf(query).run, count + spareIds)
      else if (spare.length < count) spare = await lookups.drawIds(count + spareIds)
      return spare.splice(0, count)
    },
    expectIds(count = 1) {
      expected ??= lookups.drawIds(count + spareIds)
      // Whoever draws them hears of a failure; nobody else needs them.
      expected.catch(() => undefined)
    },
  }
}
