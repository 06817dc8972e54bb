/** The processes of a benchmark: the real server as its users run it, a bare one, and the load generator. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { BareAnswer } from './bare.ts'
import type { Job, Load } from './load.ts'

const root = join(import.meta.dirname, '..')

/** The token of Project default in every server under test. */
export const token = `bench${'0'.repeat(59)}`

/** A server that has answered its first request. */
export interface Running {
  readonly url: string
  readonly pid: number
  /** Milliseconds from the start of the process to its first response with status 200. */
  readonly startMs: number
  residentMb(): number
  /** The longest stall of the event loop during `work`, in milliseconds; only for servers started with `watch`. */
  stallDuring(work: () => Promise<void>): Promise<number>
  isAlive(): boolean
  stop(): Promise<void>
  /** Kills the process with SIGKILL and waits until it has ended. */
  kill(): Promise<void>
}

export interface ServeOptions {
  /** Measures stalls of the event loop. */
  readonly watch?: boolean
  /** Additional options of `wolke serve`. */
  readonly more?: readonly string[]
  /** A command that runs the server, such as `unshare`. */
  readonly under?: readonly string[]
}

const bundle = join(root, 'dist/main.js')
/** The program's sources, which run without a build. */
export const sources = join(root, 'src/main.ts')

/** How a server is started, and the path that it answers once it is ready. */
interface Begun {
  readonly path: string
  readonly under?: readonly string[]
  readonly scheme?: 'http' | 'https'
  readonly env?: NodeJS.ProcessEnv
}

/** The files and processes of a run, which are removed with it. */
export class Workshop {
  readonly directory: string
  readonly #program: string
  /** Servers take commands of administration in here: paths of sockets have to be short. */
  readonly #sockets = mkdtempSync(join(tmpdir(), 'bench-'))
  readonly #stops = new Set<() => Promise<void>>()
  #files = 0

  /** `program` is the server to run: by default the bundle if it exists, otherwise the sources. */
  constructor(directory: string, program = existsSync(bundle) ? bundle : sources) {
    this.directory = directory
    this.#program = program
  }

  file(name: string): string {
    return join(this.directory, `${++this.#files}-${name}`)
  }

  /** Registers a clean-up that `close` runs unless the returned function was called before. */
  keep(stop: () => Promise<void>): () => Promise<void> {
    const once = async () => {
      if (this.#stops.delete(once)) await stop()
    }
    this.#stops.add(once)
    return once
  }

  async close(): Promise<void> {
    for (const stop of [...this.#stops].reverse()) await stop()
    rmSync(this.#sockets, { recursive: true })
  }

  /** Runs `wolke serve` on a database, with a rate limit that counts every request and refuses none. */
  serve(database: string, { watch = false, more = [], under = [] }: ServeOptions = {}): Promise<Running> {
    const watching = ['--import', join(import.meta.dirname, 'tether.mjs')]
    if (watch) watching.push('--import', join(import.meta.dirname, 'stall.mjs'))
    const isFile = !database.startsWith('postgres')
    const key = isFile ? [] : ['--key-file', this.file('wolke.key')]
    // Beside a file is room for the files of Storage Boxes. Versions that have none do not look at the variable.
    const env = isFile ? {} : { WOLKE_STORAGE: this.file(`${/[^/]*$/.exec(database)![0]}.storage`) }
    const options = ['--database', database, '--token', token, '--rate-limit', '999999999', ...key, ...more]
    const listening = (port: number) => ['--listen', `127.0.0.1:${port}`]
    const secure = more.includes('--tls-cert')
    return this.#start({ path: `${publicBase}/firewalls`, under, scheme: secure ? 'https' : 'http', env }, (port) => [
      ...watching,
      this.#program,
      'serve',
      ...listening(port),
      ...options,
    ])
  }

  /** Starts a bare server with these answers; the first must be to a GET. */
  bare(answers: readonly BareAnswer[]): Promise<Running> {
    const file = this.file('answers.json')
    writeFileSync(file, JSON.stringify(answers))
    return this.#start({ path: answers[0]!.path }, (port) => [join(import.meta.dirname, 'bare.ts'), file, String(port)])
  }

  async #start(
    { path, under = [], scheme = 'http', env = {} }: Begun,
    command: (port: number) => string[],
  ): Promise<Running> {
    const port = await freePort()
    const log = this.file('server.log')
    const started = performance.now()
    const [program, ...args] = [...under, process.execPath, ...command(port)] as [string, ...string[]]
    const stdio = ['ignore' as const, 'ignore' as const, openSync(log, 'w'), 'ipc' as const]
    const child = spawn(program, args, { stdio, env: { ...process.env, TMPDIR: this.#sockets, ...env } })
    const stop = this.keep(() => end(child, 'SIGTERM'))
    const url = `${scheme}://127.0.0.1:${port}`
    while (!(await answers(url + path))) {
      if (hasEnded(child)) throw new Error(`the server did not start: ${readFileSync(log, 'utf8')}`)
      await delay(2)
    }
    const startMs = performance.now() - started
    const stallDuring = async (work: () => Promise<void>) => {
      child.send('reset')
      await work()
      child.send('report')
      const [ms] = await once(child, 'message')
      return ms as number
    }
    const isAlive = () => !hasEnded(child)
    const kill = () => end(child, 'SIGKILL')
    return { url, pid: child.pid!, startMs, residentMb: () => residentMb(child.pid!), stallDuring, isAlive, stop, kill }
  }

  /** Starts a load generator. It runs one job at a time: concurrent jobs would affect each other's results. */
  generator(): (job: Omit<Job, 'token'> & { token?: string }) => Promise<Load> {
    const child = fork(join(import.meta.dirname, 'load.ts'))
    this.keep(() => end(child, 'SIGTERM'))
    let busy = false
    return async (job) => {
      if (busy) throw new Error('the load generator has a job already')
      busy = true
      child.send({ token, ...job })
      const [answer] = (await once(child, 'message')) as [Load | { error: string }]
      busy = false
      if ('error' in answer) throw new Error(`${job.method} ${job.url}: ${answer.error}`)
      return answer
    }
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  child.kill(signal)
  await once(child, 'exit')
}

/** A free port of 127.0.0.1. */
export function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const server = createServer().once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
  return promise
}

/** Tells whether a GET is answered with 200; false while nobody listens. */
function answers(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const headers = { authorization: `Bearer ${token}` }
  const ask = url.startsWith('https') ? requestTls : request
  const asked = ask(url, { agent: false, headers, rejectUnauthorized: false }, (response) => {
    response.resume()
    resolve(response.statusCode === 200)
  })
  asked.once('error', () => resolve(false)).end()
  return promise
}

/** Resident memory of a process in MB; Linux only. */
function residentMb(pid: number): number {
  const path = `/proc/${pid}/status`
  if (!existsSync(path)) return Number.NaN
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(path, 'utf8'))?.[1]) / 1024
}

/**
 * Processor time of the threads that serve, one in each process, in microseconds; Linux only. Others compile and collect
 * garbage when it suits them.
 */
export function cpuUs(pids: readonly number[]): number {
  const ns = pids.map((pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]))
  return ns.reduce((sum, one) => sum + one, 0) / 1_000
}
