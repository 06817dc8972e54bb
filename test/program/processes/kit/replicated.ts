/** A PostgreSQL with a streaming replica that has each commit before it is acknowledged. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFile, chown, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { until } from '../../../kit/database/bare-database.ts'
import { account, execute, makeDirectory, temporaryDirectory, usableBinaries } from '../../../kit/database/postgres.ts'
import { freePort } from '../../../kit/ports.ts'

const run = promisify(execFile)

export interface Replicated {
  /** Names both servers. */
  readonly url: string
  /** Ends the primary at once, without its having a say. */
  killPrimary(): Promise<void>
  /** Lets the replica take writes. */
  promote(): Promise<void>
  stop(): Promise<void>
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '32MB',
  // The machine does not fail, only its processes do.
  fsync: 'off',
  timezone: 'UTC',
}

const name = 'wolke'

/** Starts both, with a database. */
export async function startReplicated(): Promise<Replicated> {
  const dir = await makeDirectory(await temporaryDirectory())
  const bin = join(await usableBinaries(dir), 'bin')
  const [primary, replica] = [join(dir, 'primary'), join(dir, 'replica')]
  const password = randomBytes(18).toString('hex')
  const secret = join(dir, 'password')
  await writeFile(secret, password, { mode: 0o600 })
  if (account) await chown(secret, account.uid, account.gid)
  const made = ['-U', 'postgres', `--pwfile=${secret}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C']
  const as = { ...account, cwd: dir, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  await run(join(bin, 'initdb'), ['-D', primary, ...made, '--no-sync', '--no-instructions'], as)
  // A server that has done nothing yet is its own backup.
  await run('cp', ['-a', primary, replica], as)
  const [primaryPort, replicaPort] = [await freePort(), await freePort()]
  const from = `host=127.0.0.1 port=${primaryPort} user=postgres password=${password} application_name=replica`
  await configure(primary, { ...settings, synchronous_standby_names: 'replica' })
  await configure(replica, { ...settings, primary_conninfo: from })
  await run('touch', [join(replica, 'standby.signal')], as)
  const start = (data: string, port: number) => new RunningServer(bin, data, port, as)
  const servers = [start(primary, primaryPort), start(replica, replicaPort)] as const
  const at = (ports: string, database: string) => `postgres://postgres:${password}@${ports}/${database}`
  const [primaryUrl, replicaUrl] = servers.map(({ port }) => at(`127.0.0.1:${port}`, 'postgres')) as [string, string]
  for (const url of [primaryUrl, replicaUrl]) await until(() => answers(url), 'the server answers')
  // Waits for the replica to have it.
  await execute(primaryUrl, `create database ${name}`)
  return {
    url: at(`127.0.0.1:${primaryPort},127.0.0.1:${replicaPort}`, name),
    killPrimary: () => servers[0].end(),
    promote: () => execute(replicaUrl, 'select pg_promote()'),
    async stop() {
      for (const server of servers) await server.end()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

function configure(data: string, given: Readonly<Record<string, string>>): Promise<void> {
  const lines = Object.entries(given).map(([key, value]) => `${key} = '${value}'\n`)
  return appendFile(join(data, 'postgresql.conf'), lines.join(''))
}

/** Runs the server for as long as the other end of standard input stays open, as the kernel sees to however a test ends. */
const supervisor = `
"$1/postgres" -D "$2" -p "$3" </dev/null >"$2.log" 2>&1 &
server=$!
read -r _
kill -QUIT $server
wait $server
`

class RunningServer {
  readonly port: number
  readonly #child: ChildProcess

  constructor(bin: string, data: string, port: number, as: object) {
    this.port = port
    this.#child = spawn('/bin/sh', ['-c', supervisor, 'sh', bin, data, String(port)], {
      ...as,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
  }

  /** As a crash does. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const gone = once(this.#child, 'exit')
    this.#child.stdin!.end()
    await gone
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  return client.connect().then(
    () => client.end().then(() => true),
    () => false,
  )
}
