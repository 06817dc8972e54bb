/** The command line as operators use it: real processes of the built program, each with a place of its own. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext } from 'node:test'
import { build } from '../../run/built.ts'
import { bundle } from './program.ts'

export const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Where all processes run and keep what is temporary. */
const home = mkdtempSync(join(tmpdir(), 'wolke-home-'))

export function start(args: readonly string[], more: NodeJS.ProcessEnv = {}): ChildProcess {
  const { WOLKE_TEST_POSTGRES: _, ...rest } = process.env
  // What the machine that runs the tests has set for its own server is not meant for these.
  const env = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('WOLKE_')))
  return spawn(process.execPath, [bundle, ...args], { env: { ...env, TMPDIR: home, ...more }, cwd: home })
}

export function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  return texts
}

/** Runs a command to its end. */
export async function wolke(...args: string[]): Promise<Outcome> {
  const child = start(args)
  const texts = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

export interface Running {
  readonly child: ChildProcess
  readonly baseUrl: string
  readonly texts: { readonly stdout: string; readonly stderr: string }
  end(signal: NodeJS.Signals): Promise<number | null>
}

/** Starts a server on a free port and waits until it says that it is ready. */
export async function serve(t: TestContext, ...args: string[]): Promise<Running> {
  const child = start(['serve', '--listen', '127.0.0.1:0', '--log-level', 'error', ...args])
  t.after(() => child.kill('SIGKILL'))
  const texts = collect(child)
  const closed = once(child, 'close') as Promise<[number | null]>
  const isReady = () => texts.stdout.includes('curl:') && texts.stdout.endsWith('\n')
  while (!isReady()) {
    const exit = await Promise.race([once(child.stdout!, 'data').then(() => undefined), closed])
    if (exit) assert.fail(`the server ended with ${exit[0]}: ${texts.stderr}`)
  }
  const baseUrl = /API +(\S+)/.exec(texts.stdout)![1]!
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return closed.then(([code]) => code)
  }
  return { child, baseUrl, texts, end }
}

before(build)

const directories = [home]
after(() => Promise.all(directories.map((directory) => rm(directory, { recursive: true, force: true }))))

/** A directory with a database file that does not exist yet. */
export async function place(): Promise<{ directory: string; url: string; path: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'wolke-commands-'))
  directories.push(directory)
  const path = join(directory, 'data/wolke.db')
  return { directory, path, url: `sqlite:${path}` }
}

export async function api(baseUrl: string, token: string, path: string, body?: unknown) {
  const response = await fetch(baseUrl + path, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, body: JSON.parse(text) }
}

/** A failure that an operator can act on: one line, no stack, nothing on standard output. */
export function checkFailure({ code, stdout, stderr }: Outcome, expectedCode: number, says: RegExp): void {
  assert.match(stderr, says)
  assert.match(stderr, /^wolke: [^\n]+\n$/)
  assert.equal(stdout, '')
  assert.equal(code, expectedCode)
}

/** Holds a port of the machine for a test: itself, or by whichever process has it at the moment. */
export async function hold(t: TestContext, port: number): Promise<void> {
  const server = createServer().listen(port, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
  })
}

export const tokenOf = ({ texts }: Running) => /^ +Token +(\S{64}) /m.exec(texts.stdout)?.[1]
