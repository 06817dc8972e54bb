/** These tests need PostgreSQL: a server that kills, refuses, stalls, or goes away. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, Socket } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { type BareDatabase, forEachBareDatabase, gate, run, until } from '../../../test/kit/database/bare-database.ts'
import { ids, insert, sqlIn, upTo, withTable } from '../../../test/kit/database/entries.ts'
import type { ApiError } from '../errors.ts'
import { type Database, OutcomeUnknown, type Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { openDatabase } from './open.ts'
import { acrossProjects } from './scoped.ts'

/** Every connection to the database but the caller's own. */
const killOthers =
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'

forEachBareDatabase(
  'the server',
  (openBare) => {
    const open = async () => withTable(await openBare())
    const urlOf = ({ url }: BareDatabase) => (url as { url: string }).url

    async function kill(bare: BareDatabase): Promise<void> {
      const client = new pg.Client({ connectionString: urlOf(bare) })
      await client.connect()
      await client.query(killOthers)
      await client.end()
    }

    test('deadlocked transactions are done again and all succeed', async () => {
      const { db } = await open()
      for (const id of [1, 2]) await db.transact((tx) => insert(tx, id))
      const touch = (tx: Transaction, id: number) =>
        acrossProjects(tx.query)
          .updateTable('entry' as never)
          .set({ project_id: id } as never)
          .where('id' as never, '=', id as never)
          .execute()
      const both = gate()
      let attempts = 0
      const inOrder = (first: number, second: number) =>
        db.transact(async (tx) => {
          await touch(tx, first)
          if (++attempts === 2) both.open()
          await both.pass()
          await touch(tx, second)
        })
      await Promise.all([inOrder(1, 2), inOrder(2, 1)])
      // One that is done again can meet the other once more.
      assert.ok(attempts >= 3, `${attempts} attempts`)
    })

    test('a transaction that cannot be serialized is done again', async () => {
      const { db } = await open()
      await db.transact((tx) => insert(tx, 1))
      const both = gate()
      let attempts = 0
      const append = () =>
        db.transact(async (tx) => {
          await sqlIn(tx, 'set transaction isolation level serializable')
          const [row] = await sqlIn<{ max: number }>(tx, 'select max(id) as max from entry')
          if (++attempts === 2) both.open()
          await both.pass()
          await insert(tx, row!.max + 1)
        })
      await Promise.all([append(), append()])
      assert.deepEqual(await ids(db), [1, 2, 3])
    })

    test('a connection that is killed in a transaction makes it unavailable, and the next one works', async () => {
      const bare = await open()
      const { db } = bare
      const inside = gate()
      const writing = db.transact(async (tx) => {
        await insert(tx, 1)
        await inside.pass()
        await insert(tx, 2)
      })
      const refused = assert.rejects(writing, { code: 'unavailable' })
      await until(() => inside.arrived === 1)
      await kill(bare)
      inside.open()
      await refused
      await works(db)
      assert.deepEqual(await ids(db), [9])
    })

    test('connections that are killed while a statement runs or while they rest are replaced', async () => {
      const bare = await open()
      const { db } = bare
      const sleeping = assert.rejects(run(db, 'select pg_sleep(60)'), { code: 'unavailable' })
      await until(async () => {
        const active = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
        return (await run(db, active)).length === 1
      })
      await kill(bare)
      await sleeping
      await works(db)
      await Promise.all(upTo(8).map(() => run(db, 'select 1')))
      await kill(bare)
      await works(db)
    })

    test('a statement that runs into its time limit is a timeout: nothing of its transaction is written', async () => {
      const { db } = await open()
      const late = db.transact(async (tx) => {
        await insert(tx, 1)
        await sql`set local statement_timeout = 20`.execute(tx.query)
        await sql`select pg_sleep(60)`.execute(tx.query)
      })
      await assert.rejects(late, { code: 'timeout', status: 504 })
      assert.deepEqual(await ids(db), [])
      await works(db)
    })

    test('a database that refuses connections is unavailable at once', async () => {
      const bare = await open()
      const server = await listening(createServer())
      const { port } = server.address() as { port: number }
      await new Promise((resolve) => server.close(resolve))
      const db = await behind(bare, port)
      await assert.rejects(
        db.transact((tx) => insert(tx, 1)),
        { code: 'unavailable' },
      )
    })

    test('a database that does not answer is unavailable within 3 seconds', async (t) => {
      const bare = await open()
      const server = await listening(createServer(() => undefined))
      bare.later(async () => server.close())
      const db = await behind(bare, (server.address() as { port: number }).port)
      t.mock.timers.enable({ apis: ['setTimeout'] })
      const connected = once(server, 'connection')
      const refused = assert.rejects(
        db.transact((tx) => insert(tx, 1)),
        { code: 'unavailable' },
      )
      await connected
      t.mock.timers.tick(3_000)
      await refused
    })

    test('whose answer to COMMIT is lost hears of an unknown outcome, which no client repeats', async () => {
      const bare = await open()
      const proxy = await proxyTo(urlOf(bare), bare)
      const db = await behind(bare, proxy.port)
      await db.transact((tx) => insert(tx, 1))
      proxy.swallow = 'commit'
      const error = await db.transact((tx) => insert(tx, 2)).catch((reason: unknown) => reason)
      assert.ok(error instanceof OutcomeUnknown)
      assert.equal(databaseFailure(error), undefined, 'so that it is answered as 500')
      await until(async () => (await ids(bare.db)).length === 2)
      // A connection that is lost before COMMIT was sent is another matter: nothing has happened.
      proxy.swallow = 'insert'
      await assert.rejects(
        db.transact((tx) => insert(tx, 3)),
        { code: 'unavailable' },
      )
      assert.deepEqual(await ids(bare.db), [1, 2])
    })

    test('whose answer to COMMIT is lost hears that it came about, where something proves it', async () => {
      const bare = await open()
      const proxy = await proxyTo(urlOf(bare), bare)
      const db = await behind(bare, proxy.port)
      const insertProven = (id: number, proof: number) =>
        db.transact(async (tx) => {
          await insert(tx, id)
          tx.provenBy!(async (query) => {
            const rows = acrossProjects(query)
              .selectFrom('entry' as never)
              .select('id' as never)
            return (await rows.where('id' as never, '=', proof as never).execute()).length === 1
          })
          return id
        })
      proxy.swallow = 'commit'
      assert.equal(await insertProven(1, 1), 1)
      // The same server may still be at what is not there yet.
      proxy.swallow = 'commit'
      await assert.rejects(insertProven(2, 3), OutcomeUnknown)
      assert.deepEqual(await ids(bare.db), [1, 2])
    })

    async function behind(bare: BareDatabase, port: number): Promise<Database> {
      const url = new URL(urlOf(bare))
      url.port = String(port)
      const db = await openDatabase(
        { engine: 'postgres', url: url.href },
        { clock: bare.clock, postgres: { connections: 2 } },
      )
      bare.later(() => db.close())
      return db
    }
  },
  ['postgres'],
)

/** The same handle writes again, with no other answer than `unavailable` until it does. */
async function works(db: Database): Promise<void> {
  await until(async () => {
    try {
      await run(db, "insert into entry values (9, 1, 'again') on conflict do nothing")
      return true
    } catch (error) {
      assert.equal((error as ApiError).code, 'unavailable')
      return false
    }
  }, 'the database works again')
}

async function listening(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

interface Proxy {
  readonly port: number
  /** Once a client sends this word once more, the answer is lost together with the connection. */
  swallow: string | undefined
}

async function proxyTo(url: string, bare: BareDatabase): Promise<Proxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = await listening(
    createServer((client) => {
      const upstream = new Socket().connect(Number(port), hostname)
      for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
      let lost = false
      client.on('data', (chunk) => {
        if (proxy.swallow !== undefined && chunk.includes(proxy.swallow)) {
          proxy.swallow = undefined
          lost = true
        }
        upstream.write(chunk)
      })
      upstream.on('data', (chunk) => {
        if (lost) client.destroy()
        else client.write(chunk)
      })
      client.on('close', () => upstream.end())
      upstream.on('close', () => client.destroy())
    }),
  )
  bare.later(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const proxy: Proxy = { port: (server.address() as { port: number }).port, swallow: undefined }
  return proxy
}
