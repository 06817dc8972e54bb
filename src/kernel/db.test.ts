import assert from 'node:assert/strict'
import { readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server, Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type BareDatabase, forEachBareDatabase, gate, run, until } from '../../test/bare-database.ts'
import { onBehalfOf } from './behalf.ts'
import { openDatabase } from './data/open.ts'
import { type Database, OutcomeUnknown, type Transaction } from './db.ts'
import { databaseFailure } from './dialect.ts'
import { ApiError } from './errors.ts'
import { lockForServing } from './process-lock.ts'
import type { ProjectId } from './scope.ts'

// ---- A table to write to -------------------------------------------------------------------------------------------

async function withTable<T extends BareDatabase>(bare: T): Promise<T> {
  await run(
    bare.db,
    'create table entry (id integer primary key, project_id integer, name text, unique (project_id, name))',
  )
  return bare
}

function insert(tx: Transaction, id: number, name = `name ${id}`): Promise<unknown> {
  const row = { id, project_id: 1, name }
  return tx.query
    .insertInto('entry' as never)
    .values(row as never)
    .execute()
}

async function ids(db: Database): Promise<number[]> {
  const rows = await db.query
    .selectFrom('entry' as never)
    .select('id' as never)
    .orderBy('id' as never)
    .execute()
  return rows.map((row) => (row as { id: number }).id)
}

/** What somebody else sees at that very moment. */
async function observer({ url, another, later }: BareDatabase): Promise<() => Promise<number[]>> {
  if (url.engine === 'postgres') {
    const db = await another()
    return () => ids(db)
  }
  // Reads of our own that share a turn of the event loop also share what they see.
  const database = new DatabaseSync(url.path)
  later(async () => database.close())
  return async () =>
    database
      .prepare('select id from entry')
      .all()
      .map((row) => row.id as number)
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1)

// ---- What holds on both databases ----------------------------------------------------------------------------------

forEachBareDatabase('transactions', (openBare, engineName) => {
  const open = async (file = false) => withTable(await openBare({ file }))

  test('of those that run at the same time a failing one leaves nothing, and the others are durable', async () => {
    const bare = await open(true)
    const { db } = bare
    const observe = await observer(bare)
    const outcomes = await Promise.allSettled(
      upTo(100).map(async (i) => {
        const result = await db.transact(async (tx) => {
          await insert(tx, i)
          if (i % 10 === 0) throw new Error(`no ${i}`)
          return i
        })
        // Somebody else sees it by the time that its caller hears of it.
        assert.ok((await observe()).includes(result))
        return result
      }),
    )
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.message] : []))
    assert.deepEqual(
      refused,
      upTo(10).map((i) => `no ${i * 10}`),
    )
    assert.deepEqual(
      await ids(db),
      upTo(100).filter((i) => i % 10 !== 0),
    )
  })

  test('a read never sees an open transaction', async () => {
    const { db } = await open()
    const hold = gate()
    const writing = db.transact(async (tx) => {
      await insert(tx, 1)
      await hold.pass()
      await insert(tx, 2)
      throw new Error('roll back')
    })
    await until(() => hold.arrived === 1)
    const reads = upTo(5).map(() => ids(db))
    hold.open()
    await assert.rejects(writing, /roll back/)
    for (const read of reads) assert.deepEqual(await read, [])
    assert.deepEqual(await ids(db), [])
  })

  test('the outer handle cannot be used inside a transaction', async () => {
    const { db } = await open()
    await assert.rejects(
      db.transact(async () => db.query),
      /use the transaction handle/,
    )
    await assert.rejects(
      db.transact(() => db.transact(async () => 1)),
      /use the transaction handle/,
    )
    assert.equal(await db.transact(async () => 'still well'), 'still well')
  })

  test('work that goes on after its transaction has ended writes nothing', async () => {
    const { db } = await open()
    const late = gate()
    let handle: Transaction | undefined
    let straggler: Promise<unknown> | undefined
    const failed = db.transact(async (tx) => {
      handle = tx
      straggler = late.pass().then(() => insert(tx, 1))
      throw new Error('no')
    })
    await assert.rejects(failed, /no/)
    const hold = gate()
    const next = db.transact(async (tx) => {
      await insert(tx, 2)
      await hold.pass()
    })
    await until(() => hold.arrived === 1)
    late.open()
    await assert.rejects(straggler!)
    hold.open()
    await next
    await assert.rejects(insert(handle!, 3))
    assert.deepEqual(await ids(db), [2])
  })

  test('what follows a commit happens after it, in order, and not at all after a roll back', async () => {
    const { db } = await open()
    const heard: string[] = []
    db.listen('actions', () => heard.push('signal'))
    await assert.rejects(
      db.transact(async (tx) => {
        tx.afterCommit(() => heard.push('never'))
        tx.signal('actions')
        throw new Error('no')
      }),
    )
    await db.transact(async (tx) => {
      tx.afterCommit(() => heard.push('first'))
      tx.signal('actions')
      await insert(tx, 1)
      assert.deepEqual(heard, [])
    })
    assert.deepEqual(heard, ['first', 'signal'])
  })

  test('what follows a commit and fails is told to its own caller only', async () => {
    const { db } = await open()
    const outcomes = await Promise.allSettled(
      upTo(3).map((i) =>
        db.transact(async (tx) => {
          await insert(tx, i)
          tx.afterCommit(() => {
            if (i === 2) throw new Error('bug')
          })
        }),
      ),
    )
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(await ids(db), [1, 2, 3])
    await db.transact((tx) => insert(tx, 4))
  })

  test('a unique violation names its columns', async () => {
    const { db } = await open()
    await db.transact((tx) => insert(tx, 1, 'same'))
    const error = await db.transact((tx) => insert(tx, 2, 'same')).catch((reason: unknown) => reason)
    const failure = databaseFailure(error)
    assert.ok(failure?.kind === 'unique')
    assert.match(failure.constraint, /entry.*project_id.*name/)
    const twice = await db.transact((tx) => insert(tx, 1)).catch((reason: unknown) => reason)
    assert.equal(databaseFailure(twice)?.kind, 'unique')
  })

  test('a foreign key that is violated is known as such', async () => {
    const { db } = await open()
    const statement = `insert into token values (1, 999, 'n', 'h', 't', 0, 'now')`
    const error = await run(db, statement).catch((reason: unknown) => reason)
    assert.equal(databaseFailure(error)?.kind, 'foreign_key')
  })

  test('a transaction that goes on after a failed statement never claims to have committed when it has not', async () => {
    const { db } = await open()
    await db.transact((tx) => insert(tx, 1))
    const outcome = await db
      .transact(async (tx) => {
        await insert(tx, 2)
        await insert(tx, 1).catch(() => undefined)
      })
      .then(
        () => 'committed',
        () => 'refused',
      )
    assert.deepEqual(await ids(db), outcome === 'committed' ? [1, 2] : [1])
    assert.equal(outcome, engineName === 'sqlite' ? 'committed' : 'refused')
  })

  test('ids are unique and increasing, above 32 bits, whoever draws them', async () => {
    const { db, another } = await open()
    const handles = engineName === 'sqlite' ? [db, db] : [db, await another()]
    const drawn = await Promise.all(upTo(40).map((i) => handles[i % 2]!.transact((tx) => tx.drawIds(1 + (i % 3)))))
    for (const batch of drawn)
      assert.deepEqual(
        batch,
        [...new Set(batch)].sort((a, b) => a - b),
      )
    const all = drawn.flat()
    assert.equal(new Set(all).size, all.length)
    assert.ok(Math.min(...all) > 2 ** 32)
    const [later] = await db.transact((tx) => tx.drawIds(1))
    assert.ok(later! > Math.max(...all))
    assert.deepEqual(await db.transact((tx) => tx.drawIds(0)), [])
  })
})

// ---- SQLite --------------------------------------------------------------------------------------------------------

forEachBareDatabase(
  'the file',
  (openBare) => {
    const open = async () => withTable(await openBare({ file: true }))
    const pathOf = ({ url }: BareDatabase) => (url as { path: string }).path

    test('commits wait for the disk, and every table is strict', async () => {
      const { db } = await openBare({ file: true })
      assert.deepEqual(await run(db, 'pragma synchronous'), [{ synchronous: 2 }])
      assert.deepEqual(await run(db, 'pragma journal_mode'), [{ journal_mode: 'wal' }])
      assert.deepEqual(await run(db, 'pragma foreign_keys'), [{ foreign_keys: 1 }])
      const tables = await run<{ name: string; sql: string }>(db, "select * from sqlite_schema where type = 'table'")
      assert.ok(tables.length > 5)
      for (const { name, sql } of tables) assert.match(sql, /\) strict(, without rowid)?$/, name)
    })

    test('nobody but its owner reads it, nor what SQLite keeps beside it', async () => {
      const bare = await openBare({ file: true })
      for (const end of ['', '-wal', '-shm']) assert.equal(statSync(pathOf(bare) + end).mode & 0o077, 0, end)
    })

    test('a writer waits for another process without stopping the event loop', async () => {
      const bare = await open()
      const rival = new DatabaseSync(pathOf(bare))
      bare.later(async () => rival.close())
      rival.exec('begin immediate')
      let ticks = 0
      const ticking = setInterval(() => ticks++, 5)
      const writing = bare.db.transact((tx) => insert(tx, 1))
      await delay(300)
      clearInterval(ticking)
      rival.exec("insert into entry values (7, 1, 'rival'); commit")
      await writing
      assert.ok(ticks >= 5, `the event loop turned ${ticks} times`)
      assert.deepEqual(await ids(bare.db), [1, 7])
    })

    test('who waits with a thousand transactions keeps others from one place in each round', async () => {
      const { db } = await open()
      const order: string[] = []
      const write = (project: number) => () =>
        db.transact(async (tx) => {
          order.push(`${project}`)
          await insert(tx, order.length)
        })
      const projects = [...upTo(1_000).map(() => 1), 2, 2, 3]
      await Promise.all(projects.map((project) => onBehalfOf(project as ProjectId, write(project))))
      assert.equal(order.length, projects.length)
      assert.deepEqual(order.slice(0, 7), ['1', '2', '3', '1', '2', '1', '1'])
    })

    test('transactions that take long share no commit, so that a read waits for one of them at most', async () => {
      const { db } = await open()
      const count = 20
      let done = 0
      const writing = upTo(count).map((i) =>
        db.transact(async (tx) => {
          const end = performance.now() + 6
          while (performance.now() < end);
          await insert(tx, i)
          done++
        }),
      )
      await Promise.race(writing)
      const seen = await ids(db)
      assert.ok(seen.length < count && done < count, `${seen.length} were there before the read`)
      await Promise.all(writing)
    })

    test('what need not be durable waits for no disk, and whatever runs beside or after it does', async () => {
      const { db } = await open()
      const settings: number[] = []
      const write = (id: number, isDurable: boolean) =>
        db.transact(
          async (tx) => {
            settings[id] = (await sqlIn<{ synchronous: number }>(tx, 'pragma synchronous'))[0]!.synchronous
            await insert(tx, id)
          },
          { isDurable },
        )
      await Promise.all([write(1, false), write(2, true), write(3, false), write(4, true)])
      await write(5, false)
      await write(6, true)
      assert.deepEqual(settings.slice(1), [1, 2, 1, 2, 1, 2])
      assert.deepEqual(await ids(db), [1, 2, 3, 4, 5, 6])
    })

    test('who need not be durable keeps those who must from nothing but one group in between', async () => {
      const { db } = await open()
      const order: string[] = []
      const write = (isDurable: boolean) =>
        db.transact(
          async (tx) => {
            order.push(isDurable ? 'durable' : 'other')
            await insert(tx, order.length)
          },
          { isDurable },
        )
      await Promise.all([...upTo(1_000).map(() => write(false)), write(true)])
      assert.ok(order.indexOf('durable') <= 64, `after ${order.indexOf('durable')} others`)
      assert.equal(order.length, 1_001)
    })

    test('only one server at a time has the file, and commands beside it can still write', async () => {
      const bare = await open()
      const lock = lockForServing(pathOf(bare))
      assert.ok(lock)
      const folder = dirname(pathOf(bare))
      symlinkSync(pathOf(bare), join(folder, 'link'))
      symlinkSync('link', join(folder, 'link-to-link'))
      symlinkSync(folder, join(folder, 'folder'))
      for (const other of [
        'wolke.db',
        './folder/../wolke.db',
        'link',
        'link-to-link',
        'folder/link',
        'folder/wolke.db',
      ]) {
        assert.equal(lockForServing(`${folder}/${other}`), undefined, other)
      }
      const command = await bare.another()
      await command.transact((tx) => insert(tx, 1))
      lock.release()
      const next = lockForServing(pathOf(bare))
      assert.ok(next)
      next.release()
    })

    test('a start that fails takes away what it made, and nothing that was there', async () => {
      const bare = await open()
      const folder = dirname(pathOf(bare))
      lockForServing(pathOf(bare))!.release()
      const before = readdirSync(folder).sort()
      lockForServing(pathOf(bare))!.abandon()
      symlinkSync('new.db', join(folder, 'dangling'))
      for (const path of ['new/deep/wolke.db', 'dangling', 'new.db']) {
        const key = join(folder, `${path.replaceAll('/', '-')}.key`)
        const lock = lockForServing(join(folder, path), [key, pathOf(bare)])
        assert.ok(lock)
        const database = new DatabaseSync(join(folder, path))
        database.exec('pragma journal_mode = wal; create table a (b)')
        database.close()
        writeFileSync(key, 'key')
        lock.abandon()
      }
      assert.deepEqual(readdirSync(folder).sort(), [...before, 'dangling'].sort())
      assert.deepEqual(await ids(bare.db), [])
    })

    test('a full disk makes writes unavailable, leaves reads alone, and is over when there is room', async () => {
      const bare = await open()
      const { db } = bare
      const big = 'x'.repeat(50_000)
      await db.transact((tx) => insert(tx, 1))
      const [{ page_count: pages } = { page_count: 0 }] = await run<{ page_count: number }>(db, 'pragma page_count')
      // The writing connection is the only one, so a read can set its limit.
      await run(db, `pragma max_page_count = ${pages + 5}`)
      const outcomes = await Promise.allSettled(
        [2, 3, 4].map((id) => db.transact((tx) => insert(tx, id, id === 3 ? big : undefined))),
      )
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
      assert.ok(refusals.length > 0)
      for (const refusal of refusals) assert.ok(refusal instanceof ApiError && refusal.code === 'unavailable')
      const kept = outcomes.flatMap((outcome, i) => (outcome.status === 'fulfilled' ? [i + 2] : []))
      assert.deepEqual(await ids(db), [1, ...kept], 'exactly what was promised is there')
      await run(db, 'pragma max_page_count = 1000000')
      await db.transact((tx) => insert(tx, 3, big))
      assert.deepEqual(await run(db, 'pragma integrity_check'), [{ integrity_check: 'ok' }])
    })

    test('whose commit meets a disk that fails hears of an unknown outcome, and of a full one that nothing happened', async (t) => {
      const { db } = await open()
      const { run: really } = StatementSync.prototype
      const failWith = (errcode: number, isWritten: boolean) =>
        t.mock.method(StatementSync.prototype, 'run', function (this: StatementSync, ...values: never) {
          if (this.sourceSQL !== 'commit') return really.apply(this, values)
          if (isWritten) really.apply(this, values)
          throw Object.assign(new Error('from the disk'), { code: 'ERR_SQLITE_ERROR', errcode })
        }).mock
      const told: unknown[] = []
      db.onTrouble((error) => told.push(error))
      const [full, notSynced, notWritten] = [13, 1034, 778]
      const cases: [errcode: number, isWritten: boolean][] = [
        [notSynced, true],
        [notSynced, false],
        [notWritten, false],
        [full, false],
      ]
      for (const [id, [errcode, isWritten]] of cases.entries()) {
        const failing = failWith(errcode, isWritten)
        const error = await db.transact((tx) => insert(tx, id)).catch((reason: unknown) => reason)
        failing.restore()
        if (errcode === full) assert.ok(error instanceof ApiError && error.code === 'unavailable')
        else assert.ok(error instanceof OutcomeUnknown && databaseFailure(error) === undefined)
      }
      assert.deepEqual(await ids(db), [0])
      assert.equal(told.length, cases.length)
    })
  },
  ['sqlite'],
)

// ---- PostgreSQL ----------------------------------------------------------------------------------------------------

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
        tx.query
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
      assert.equal(attempts, 3)
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

    test('a database that does not answer is unavailable within 3 seconds', async () => {
      const bare = await open()
      const server = await listening(createServer(() => undefined))
      bare.later(async () => server.close())
      const db = await behind(bare, (server.address() as { port: number }).port)
      const before = performance.now()
      await assert.rejects(
        db.transact((tx) => insert(tx, 1)),
        { code: 'unavailable' },
      )
      assert.ok(performance.now() - before < 3_000)
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

async function sqlIn<Row>(tx: Transaction, statement: string): Promise<Row[]> {
  return (await sql.raw<Row>(statement).execute(tx.query)).rows
}

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
