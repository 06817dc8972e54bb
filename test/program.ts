/** The real program in processes of its own, for tests of what survives the end of a process. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from './bare-database.ts'

/** One process that serves. */
export interface Served {
  readonly baseUrl: string
  /** Ends it at once, without its having a say, and waits until it is gone. */
  kill(): Promise<void>
  /** Asks it to end, and waits until it has. */
  stop(): Promise<void>
}

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly json: any
}

export interface Program {
  /** A folder that is removed at the end. */
  readonly dir: string
  /** Starts the program on a database and waits until it serves; several may share a PostgreSQL. */
  serve(database: string, options?: readonly string[]): Promise<Served>
  /** Calls a process with the token that all of them accept. */
  call(baseUrl: string, method: string, path: string, body?: unknown): Promise<Reply>
  /** Kills what still runs and removes the folder; may be called again. */
  close(): Promise<void>
}

/** Makes a folder for processes that share a token. */
export function openProgram(): Program {
  const token = `test_${randomBytes(40).toString('hex')}`.slice(0, 64)
  const dir = mkdtempSync(join(tmpdir(), 'wolke-program-'))
  const running = new Map<ChildProcess, Promise<void>>()
  let started = 0

  return {
    dir,
    async serve(database, options = []) {
      const ready = join(dir, `ready-${++started}`)
      const program = [join(import.meta.dirname, '../src/main.ts'), 'serve', '--database', database, '--token', token]
      const given = ['--listen', '127.0.0.1:0', '--rate-limit', 'off', '--log-level', 'error', '--ready-file', ready]
      const args = ['--disable-warning=ExperimentalWarning', ...program, ...given, ...options]
      // The first one that is stopped leaves the others what it compiled.
      const env = { ...process.env, NODE_COMPILE_CACHE: join(dir, 'compiled') }
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
      const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
      running.set(child, gone)
      void gone.then(() => running.delete(child))
      await until(() => {
        assert.equal(child.exitCode, null, 'the server ended instead of serving')
        return existsSync(ready)
      }, 'the server is ready')
      const { base_url: baseUrl } = JSON.parse(readFileSync(ready, 'utf8')) as { base_url: string }
      const end = (signal: 'SIGKILL' | 'SIGTERM') => () => {
        child.kill(signal)
        return gone
      }
      return { baseUrl, kill: end('SIGKILL'), stop: end('SIGTERM') }
    },

    async call(baseUrl, method, path, body) {
      const response = await fetch(baseUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await response.text()
      return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
    },

    async close() {
      for (const child of running.keys()) child.kill('SIGKILL')
      await Promise.all(running.values())
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
