/** The real program as a process of its own: the bundle, which is what operators run and starts quickest. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { build } from '../../run/built.ts'

const root = join(import.meta.dirname, '../../..')

/** The token of Project default in every server that is started here. */
export const token = `test_${randomBytes(40).toString('hex')}`.slice(0, 64)

export interface Served {
  readonly baseUrl: string
  /** Where its name server listens. */
  readonly dns: { readonly address: string; readonly port: number }
  /** Where its metrics are; null for a server without them. */
  readonly metricsUrl: string | null
  readonly metadataUrl: string
  readonly child: ChildProcess
  /** The lines of its log so far. */
  log(): Record<string, unknown>[]
  /** What it has printed so far. */
  output(): string
  /** Ends it at once, without its having a say, and waits until it is gone. */
  kill(): Promise<void>
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>
}

export interface Program {
  /** A folder that goes away after the tests. */
  readonly folder: string
  /** Starts a server on free ports; several may share a PostgreSQL. */
  serve(database: string, ...options: string[]): Promise<Served>
  /** Runs a command to its end. */
  command(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }>
  /** Starts a command that goes on until it is stopped; `lines` are what it has printed so far. */
  watch(...args: string[]): Promise<{ lines(): string[]; stop(): Promise<void> }>
  /** Starts a server that ends by itself with 1; what it says on standard error. */
  fail(database: string, ...options: string[]): Promise<string>
}

/** The file to run after `build`. */
export const bundle = join(root, 'dist/main.js')

/** Which program it is, and how it is run: with `uid` and `gid` it is another user's than that of the tests. */
export interface RunAs {
  readonly uid?: number
  readonly gid?: number
  /** What Node.js runs instead of the bundle. */
  readonly main?: readonly string[]
  /** Further variables of the environment. */
  readonly env?: Readonly<Record<string, string>>
}

/** Makes a place to run the program from; what still runs in it after the tests is killed. */
export function program(name: string, { uid, gid, main = [bundle], env: more }: RunAs = {}): Program {
  const folder = mkdtempSync(join(tmpdir(), `wolke-${name}-`))
  const user = uid === undefined || gid === undefined ? undefined : { uid, gid }
  if (user) chownSync(folder, user.uid, user.gid)
  const running = new Set<ChildProcess>()
  let started = 0
  // Hooks of the tests may run the program before those of this file would have built it.
  const run = async (args: readonly string[]) => {
    await build()
    // Commands find servers by this folder, and shall not meet those of other tests.
    const env = { ...process.env, TMPDIR: folder, ...more }
    const child = spawn(process.execPath, [...main, ...args], {
      ...{ cwd: folder, env, ...user },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    const written = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        written[name] += text
      })
    }
    const gone = new Promise<void>((resolve) => child.once('close', () => resolve()))
    void gone.then(() => running.delete(child))
    return { child, gone, written }
  }
  const server = (database: string, options: readonly string[]) => {
    const free = ['--listen', '127.0.0.1:0', '--dns-listen', '127.0.0.1:0', '--metadata-listen', '127.0.0.1:0']
    const quiet = ['--rate-limit', 'off', '--log-level', 'error', '--token', token]
    return run(['serve', '--database', database, ...free, ...quiet, ...options])
  }
  after(() => {
    for (const child of running) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })
  return {
    folder,
    async command(...args) {
      const { child, gone, written } = await run(args)
      await gone
      return { code: child.exitCode, ...written }
    },
    async watch(...args) {
      const { child, gone, written } = await run(args)
      const lines = () => written.stdout.split('\n').slice(0, -1)
      const stop = () => {
        child.kill('SIGTERM')
        return gone
      }
      return { lines, stop }
    },
    async fail(database, ...options) {
      const { child, gone, written } = await server(database, options)
      const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
      await gone
      clearTimeout(late)
      assert.equal(child.exitCode, 1, written.stderr)
      return written.stderr
    },
    async serve(database, ...options) {
      const own = ['--ready-file', join(folder, `ready-${++started}`)]
      const { child, gone, written } = await server(database, [...own, ...options])
      const path = [...own, ...options].at([...own, ...options].lastIndexOf('--ready-file') + 1)!
      // A busy machine may take long for it; whoever runs the tests bounds the whole.
      let ready = readReadyFile(path)
      for (; ready?.pid !== child.pid; ready = readReadyFile(path)) {
        assert.equal(child.exitCode, null, `the server ended instead of serving: ${written.stderr}`)
        await delay(3)
      }
      const { base_url: baseUrl, metrics_url: metricsUrl, metadata_url: metadataUrl, dns } = ready!
      const end = (signal: 'SIGKILL' | 'SIGTERM') => () => {
        child.kill(signal)
        return gone
      }
      return {
        baseUrl,
        metricsUrl,
        metadataUrl,
        dns: { address: dns.split(':')[0]!, port: Number(dns.split(':')[1]) },
        child,
        log: () =>
          written.stderr
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line)),
        output: () => written.stdout,
        kill: end('SIGKILL'),
        stop: end('SIGTERM'),
      }
    },
  }
}

interface Ready {
  readonly base_url: string
  readonly metrics_url: string | null
  readonly metadata_url: string
  readonly dns: string
  readonly pid: number
}

/** What a ready file says; undefined while there is none. */
function readReadyFile(path: string): Ready | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly json: any
}

/** Calls a server with the token of Project default, or a path outside the API when it begins with `http`. */
export async function call(baseUrl: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await response.text()
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
}

/** A new SSH public key. */
export function makeKey(): string {
  const text = (value: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, value.length]), value])
  return `ssh-ed25519 ${Buffer.concat([text(Buffer.from('ssh-ed25519')), text(randomBytes(32))]).toString('base64')}`
}
