/**
 * `node scripts/upgrade-fixture.ts COMMIT` runs the program of an earlier commit, makes data through its API, and keeps its
 * database on SQLite and on PostgreSQL for the tests of upgrades. It needs npm, and PostgreSQL's programs in
 * `WOLKE_POSTGRES_PROGRAMS` (by default those of Debian).
 */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { createDatabase, startPostgres } from '../test/kit/database/postgres.ts'
import { adminEmail, own, password, TestBrowser } from '../test/people/kit/browser.ts'
import { token } from '../test/program/kit/program.ts'
import { begin, Maker, makeData } from '../test/program/upgrades/kit/data.ts'
import { type UpgradeFixture, writeFixture } from '../test/program/upgrades/kit/fixture.ts'
import { asking, asPerson, Operations, type Told, tellAll } from '../test/program/upgrades/kit/told.ts'

const programs = process.env.WOLKE_POSTGRES_PROGRAMS ?? '/usr/lib/postgresql/15/bin'
/** A day on which all changes of the API have the same state for whoever makes fixtures and tests them. */
const now = '2026-11-29T12:00:00Z'

/** A program of an earlier commit, in a folder of its own. */
class Earlier {
  readonly commit: string
  readonly folder: string
  readonly #running = new Set<ChildProcess>()

  constructor(commit: string) {
    this.commit = execFileSync('git', ['rev-parse', '--short=8', commit], { encoding: 'utf8' }).trim()
    this.folder = mkdtempSync(join(tmpdir(), 'wolke-fixture-'))
    const shell = `git archive ${this.commit} | tar -x -C '${this.folder}' && cd '${this.folder}' && npm ci --ignore-scripts --omit=dev --no-audit --no-fund`
    execFileSync('sh', ['-c', shell], { stdio: 'inherit' })
  }

  read(path: string): string | undefined {
    const file = join(this.folder, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined
  }

  /** Starts it and waits until it is ready. */
  async serve(database: string, options: Readonly<Record<string, string>> = {}) {
    const ready = join(this.folder, 'ready.json')
    rmSync(ready, { force: true })
    const at = '127.0.0.1:0'
    const env = {
      ...{ WOLKE_LISTEN: at, WOLKE_METADATA_LISTEN: at, WOLKE_DNS_LISTEN: at, WOLKE_READY_FILE: ready },
      ...{ WOLKE_TOKEN: token, WOLKE_NOW: now, WOLKE_LOG_LEVEL: 'error', WOLKE_RATE_LIMIT: 'off', ...options },
    }
    const child = this.#run(['serve'], { ...env, WOLKE_DATABASE: database })
    let output = ''
    child.stdout?.on('data', (text) => (output += text))
    while (!existsSync(ready) || readFileSync(ready, 'utf8') === '') {
      assert.equal(child.exitCode, null, 'it ended instead of serving')
      await delay(20)
    }
    const { base_url: baseUrl } = JSON.parse(readFileSync(ready, 'utf8'))
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal)
      await gone(child)
    }
    return { baseUrl: baseUrl as string, output: () => output, end }
  }

  /** Runs one of its commands, and returns what it printed; undefined where there is none of this name. */
  async command(args: readonly string[], database: string): Promise<string | undefined> {
    if (!existsSync(join(this.folder, `src/commands/${args[0]}.ts`))) return undefined
    const child = this.#run(args, { WOLKE_DATABASE: database })
    let output = ''
    child.stdout?.on('data', (text) => (output += text))
    await gone(child)
    assert.equal(child.exitCode, 0, args.join(' '))
    return output
  }

  #run(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
    const child = spawn(process.execPath, [join(this.folder, 'src/main.ts'), ...args], {
      ...{ cwd: this.folder, env: { ...process.env, ...env, TMPDIR: this.folder } },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }

  async remove(): Promise<void> {
    for (const child of [...this.#running]) {
      child.kill('SIGKILL')
      await gone(child)
    }
    rmSync(this.folder, { recursive: true })
  }
}

async function gone(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once('close', resolve))
}

/** Makes data through a program and returns all of a fixture but the database. */
async function write(earlier: Earlier, database: string): Promise<Omit<UpgradeFixture, 'data'>> {
  const operations = new Operations(earlier.read('api/openapi.json')!)
  const own = earlier.read('api/wolke.json')
  const server = await earlier.serve(database)
  await makeData(new Maker(server.baseUrl, operations))
  const people = own?.includes('"/people"') ? await meet(server, new Operations(own)) : undefined
  const tokens = await makeTokens(earlier, database)
  const told = await tellAll(asking(server.baseUrl, token), operations)
  await server.end('SIGTERM')
  const unfinished = await leaveUnfinished(earlier, database)
  return { commit: earlier.commit, schema: latestOf(earlier), now, tokens, told, toldPerson: {}, ...people, unfinished }
}

/** An action that had begun when its process was killed. */
async function leaveUnfinished(earlier: Earlier, database: string): Promise<number> {
  const server = await earlier.serve(database, { WOLKE_ACTION_DELAY: '600000' })
  const action = await begin(server.baseUrl)
  await server.end('SIGKILL')
  return action
}

/** The first administrator of the installation, and what it tells them. */
async function meet(
  { baseUrl, output }: { readonly baseUrl: string; readonly output: () => string },
  operations: Operations,
): Promise<{ person: { email: string; password: string }; toldPerson: Told }> {
  const link = /http:\/\/\S+\/console\/setup#[\w-]+/.exec(output())
  assert.ok(link, 'it prints a link for the first administrator')
  const { hostname, hash } = new URL(link[0])
  const browser = new TestBrowser({ baseUrl }, { host: hostname })
  const fields = { code: hash.slice(1), name: 'Jana Nord', email: adminEmail, password }
  assert.equal((await browser.post('/console/setup', fields)).status, 303)
  const made = await browser.api('POST', `${own}/projects`, { name: 'second' })
  assert.equal(made.status, 201, made.text)
  return { person: { email: adminEmail, password }, toldPerson: await tellAll(asPerson(browser), operations) }
}

async function makeTokens(earlier: Earlier, database: string): Promise<UpgradeFixture['tokens']> {
  const make = async (...options: string[]) => {
    const printed = await earlier.command(['token', 'create', '--project', 'default', ...options], database)
    return /\b(?:wlk_)?[0-9A-Za-z]{60,64}\b/.exec(printed ?? '')?.[0]
  }
  const revoked = await make('--name', 'revoked')
  if (revoked) await earlier.command(['token', 'revoke', revoked], database)
  const valid = [token, await make('--name', 'reader', '--read-only')].filter((one) => one !== undefined)
  return { valid, revoked: revoked ? [revoked] : [] }
}

/** The last migration that a program has, by its own list. */
function latestOf({ folder }: Earlier): string {
  const text = `const { migrations } = await import('${folder}/src/migrations/index.ts'); console.log(migrations.at(-1).id)`
  return execFileSync(process.execPath, ['--input-type=module', '--eval', text], { encoding: 'utf8' }).trim()
}

const keyAt = (path: string) => (existsSync(path) ? { key: readFileSync(path).toString('base64') } : {})

async function onSqlite(earlier: Earlier): Promise<string> {
  const path = join(earlier.folder, 'fixture/wolke.db')
  const about = await write(earlier, `sqlite:${path}`)
  const database = new DatabaseSync(path)
  database.exec('pragma wal_checkpoint(truncate); vacuum')
  database.close()
  return writeFixture('sqlite', { ...about, ...keyAt(`${path}.key`), data: readFileSync(path) })
}

async function onPostgres(earlier: Earlier): Promise<string> {
  const server = await startPostgres({ programs })
  try {
    const { url } = await createDatabase(server.url)
    const about = await write(earlier, url)
    const args = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', url]
    const dumped = execFileSync(join(programs, 'pg_dump'), args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
    // Lines of its own are for psql alone.
    const data = Buffer.from(dumped.replace(/^(\\.*|--( .*)?)\n/gm, ''))
    return writeFixture('postgres', { ...about, ...keyAt(join(earlier.folder, 'data/wolke.key')), data })
  } finally {
    await server.stop()
  }
}

const [commit, ...chosen] = process.argv.slice(2)
if (commit === undefined) throw new Error('usage: node scripts/upgrade-fixture.ts COMMIT [sqlite|postgres]')
const earlier = new Earlier(commit)
try {
  for (const [engine, keep] of Object.entries({ sqlite: onSqlite, postgres: onPostgres }))
    if (chosen.length === 0 || chosen.includes(engine)) console.log(await keep(earlier))
} finally {
  await earlier.remove()
}
process.exit(0)
