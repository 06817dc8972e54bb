/** Migrations whose process is killed once before each statement, after the last one, and after each commit. */
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type DatabaseUrl, parseDatabaseUrl } from '../../../../src/kernel/data/dialect.ts'
import { type Migration, migrate, schemaState } from '../../../../src/kernel/data/migrate.ts'
import { openDatabase } from '../../../../src/kernel/data/open.ts'
import { migrations } from '../../../../src/migrations/index.ts'
import { testClock } from '../../../kit/harness.ts'

/** A database as processes that are killed leave it to those after them. */
interface Left {
  /** Where the next process finds it. */
  url(): DatabaseUrl
  /** Ends what the present process has to do with it, at once, as its death would. */
  kill(): void
  /** Its URL once nobody is killed any more. */
  readonly last: string
  close(): void
}

/** The files that a process leaves behind are those that it has written so far; it takes its locks along. */
function leftInFolder(folder: string, path: string): Left {
  let present = path
  return {
    url: () => ({ engine: 'sqlite', path: present }),
    kill() {
      const next = join(mkdtempSync(join(folder, 'killed-')), 'wolke.db')
      for (const end of ['', '-wal']) if (existsSync(present + end)) copyFileSync(present + end, next + end)
      present = next
    },
    get last() {
      return `sqlite:${present}`
    },
    close: () => undefined,
  }
}

/** A server hears of the death of a process by the end of its connections, which lead through a relay here. */
async function leftOnServer(url: string): Promise<Left> {
  const { hostname, port } = new URL(url)
  const open = new Set<Socket>()
  const relay = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      open.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy() && open.delete(socket))
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const through = new URL(url)
  through.port = String((relay.address() as AddressInfo).port)
  return {
    url: () => parseDatabaseUrl(through.href)!,
    kill() {
      for (const socket of open) socket.destroy()
    },
    last: url,
    close: () => void relay.close(),
  }
}

class Killed extends Error {}

/** Migrates a database that an earlier version wrote; returns where it is at last, and how many processes were killed. */
export async function migrateKilled(
  url: string,
  folder: string,
): Promise<{ readonly url: string; readonly kills: number }> {
  const parsed = parseDatabaseUrl(url)!
  const left = parsed.engine === 'sqlite' ? leftInFolder(folder, parsed.path) : await leftOnServer(url)
  const done = new Set<string>()
  let isKilled = false
  const killOnce = (at: string) => {
    if (done.has(at)) return
    done.add(at)
    isKilled = true
    left.kill()
    throw new Killed(at)
  }
  const mortal = migrations.map((migration) => killedWithin(migration, killOnce))
  try {
    for (;;) {
      isKilled = false
      const db = await openDatabase(left.url(), { clock: testClock(), postgres: { connections: 1 } })
      const error = await migrate(db, mortal).catch((error: unknown) => error)
      await db.close()
      if (error === undefined) return { url: left.last, kills: done.size }
      if (!isKilled) throw error
    }
  } finally {
    left.close()
  }
}

/** The same migration, which calls `killOnce` before each statement and after the last one. */
function killedWithin({ statements, ...migration }: Migration, killOnce: (at: string) => void): Migration {
  const mortal = [...statements]
  mortal[Symbol.iterator] = function* () {
    for (const [index, statement] of statements.entries()) {
      killOnce(`${migration.id} before statement ${index}`)
      yield statement
    }
    killOnce(`${migration.id} after its statements`)
  } as () => ArrayIterator<string>
  return { ...migration, statements: mortal }
}

/** How often a process can be killed on the way of a database to the present schema. */
export async function placesToDie(url: string): Promise<number> {
  const db = await openDatabase(parseDatabaseUrl(url)!, { clock: testClock() })
  try {
    if ((await schemaState(db, migrations)) === 'current') return 0
    const applied = (await db.query.selectFrom('migration').select('id').execute()).length
    return migrations.slice(applied).reduce((sum, { statements }) => sum + statements.length + 1, 0)
  } finally {
    await db.close()
  }
}
