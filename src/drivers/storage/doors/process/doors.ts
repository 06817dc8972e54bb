/**
 * The doors as an API server sees them: a process of their own, which is started again when it dies and then knows what it
 * has to know.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { AccountState } from '../../../../families/storage-boxes/driver.ts'
import { whyImpossible } from '../jail/possible.ts'
import type { HostAndPort, WebdavPlace } from '../open.ts'
import type {
  Answered,
  Call,
  DoorsQuestion,
  DoorsSettings,
  Method,
  Methods,
  OpenedPorts,
  PlaceState,
  Quota,
  Said,
} from './wire.ts'

/** The program lies beside this module, as source or as its own file of the bundle. */
const program = new URL(import.meta.url.endsWith('.ts') ? './program.ts' : './storage-doors.js', import.meta.url)

export interface DoorsOptions {
  /** A folder of root alone, for host keys and properties of files. */
  readonly directory: string
  readonly ssh: HostAndPort | undefined
  readonly webdav: WebdavPlace | undefined
  /** Whether they open where programs cannot be confined. */
  readonly isUnconfined?: boolean | undefined
  /** Bytes that were written to boxes whose quota the doors count, some times a second. */
  charged(box: number, bytes: number): void
  /** So many of them are in the files, or are not written any more. */
  written(box: number, bytes: number): void
  /** A program has written to a box whose quota the doors count, more or less than was said. */
  changed(box: number): void
  /** Has it noted on disk that somebody comes in who may write to a box whose quota the doors count. */
  begin(box: number): Promise<void>
  /** Notes a public key that somebody installs for his account. Returns undefined, or why it is not noted. */
  installKey(box: number, username: string, key: string): Promise<string | undefined>
  report(message: string, fields: object): void
}

/** Whatever is asked of it holds when it has resolved. */
export interface DoorsDriver {
  readonly opened: OpenedPorts
  /** Makes the accounts of a box be as described. Older generations change nothing. */
  setAccounts(place: PlaceState, generation: number, accounts: readonly AccountState[]): Promise<void>
  /** Says what a box takes, as it is measured now. Errors: those of `measure`. */
  setQuota(box: number, measure: () => Promise<Quota>): Promise<void>
  /** Has the process say now what it has charged for a box and what has been written. */
  hear(box: number): Promise<void>
  removeBox(box: number, generation: number): Promise<void>
  /** Ends all that is open with a box: its files are about to be replaced. */
  endSessions(box: number): Promise<void>
  close(): Promise<void>
}

/**
 * Packets leave buffers that are large and nothing else. They are collected soon, before there are many, and by the thread that
 * has left them: others would spend more time on waking each other.
 */
const collecting = ['--max-semi-space-size=1', '--single-threaded-gc']

/** A process that dies at once is replaced after so many milliseconds. */
const waitMs = 1_000

/** The process of the doors ended before it answered. */
class DoorsLost extends Error {}

/** Opens the doors. Errors: one line that says why they stay closed. */
export async function openDoors(options: DoorsOptions): Promise<DoorsDriver> {
  const why = whyImpossible(options.isUnconfined)
  if (why !== undefined) throw new Error(why)
  const doors = new DoorsClient(options)
  try {
    await doors.start()
  } catch (error) {
    await doors.close()
    throw error
  }
  return doors
}

interface Heard {
  charged: number
  written: number
}

interface PendingCall {
  resolve(result: unknown): void
  reject(error: Error): void
}

class DoorsClient implements DoorsDriver {
  readonly #options: DoorsOptions
  /** The next process is handed these over again. */
  readonly #newest = new Map<number, Methods['setAccounts']['args']>()
  readonly #waiting = new Map<number, PendingCall>()
  /** The process has charged so many bytes to each box, and so many of them have been written. */
  readonly #heard = new Map<number, Heard>()
  #child: ChildProcess | undefined
  #opened: OpenedPorts = { ssh: null, webdav: null }
  #calls = 0
  #isClosed = false
  /** Whoever starts a process is told of its end, and sees to what follows. */
  #isStarting = false

  constructor(options: DoorsOptions) {
    this.#options = options
  }

  get opened(): OpenedPorts {
    return this.#opened
  }

  /** Errors: of the sockets; `DoorsLost`. Nothing runs then. */
  async start(): Promise<void> {
    this.#isStarting = true
    const child = this.#spawn()
    try {
      await this.#begin()
    } catch (error) {
      child.kill('SIGKILL')
      if (this.#child === child) this.#dropChild()
      throw error
    } finally {
      this.#isStarting = false
    }
  }

  #spawn(): ChildProcess {
    const child = spawn(process.execPath, [...collecting, fileURLToPath(program)], {
      cwd: '/',
      // It needs nothing of the environment, which may hold secrets.
      env: {},
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#child = child
    child.on('message', (said: Said) => this.#hear(child, said))
    child.once('error', (error) => this.#lose(child, error.message))
    child.once('exit', (code, signal) => this.#lose(child, `${signal ?? code}`))
    return child
  }

  /** Tells a new process all that it has to know. */
  async #begin(): Promise<void> {
    const { directory, ssh, webdav } = this.#options
    this.#opened = await this.#ask('open', {
      directory,
      // A process that follows another one has its ports.
      ssh: ssh ? { ...ssh, port: this.#opened.ssh ?? ssh.port } : null,
      webdav: webdav ? { ...webdav, port: this.#opened.webdav ?? webdav.port } : null,
    } satisfies DoorsSettings)
    await Promise.all([...this.#newest.values()].map((args) => this.#ask('setAccounts', ...args)))
  }

  async setAccounts(place: PlaceState, generation: number, accounts: readonly AccountState[]): Promise<void> {
    const known = this.#newest.get(place.id)
    if (!known || known[1] <= generation) this.#newest.set(place.id, [place, generation, accounts])
    await this.#tell('setAccounts', place, generation, accounts)
  }

  async setQuota(box: number, measure: () => Promise<Quota>): Promise<void> {
    // What is charged meanwhile may be in it or not, and counts in any case.
    const heard = this.#heard.get(box)?.charged ?? 0
    const child = this.#child
    const quota = await measure()
    const known = this.#newest.get(box)
    if (known) this.#newest.set(box, [{ ...known[0], quota }, known[1], known[2]])
    // Another process counts from its own beginning.
    if (child === this.#child) await this.#tell('setQuota', box, quota, heard)
  }

  hear(box: number): Promise<void> {
    return this.#tell('hear', box)
  }

  async removeBox(box: number, generation: number): Promise<void> {
    const known = this.#newest.get(box)
    if (known && known[1] <= generation) {
      this.#newest.delete(box)
      this.#forget(box)
    }
    await this.#tell('removeBox', box, generation)
  }

  endSessions(box: number): Promise<void> {
    return this.#tell('endSessions', box)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.disconnect()
    await ended
  }

  /** A process that dies meanwhile has nothing open any more, and its successor is told everything. */
  async #tell<M extends Method>(method: M, ...args: Methods[M]['args']): Promise<void> {
    try {
      await this.#ask(method, ...args)
    } catch (error) {
      if (!(error instanceof DoorsLost)) throw error
    }
  }

  #ask<M extends Method>(method: M, ...args: Methods[M]['args']): Promise<Methods[M]['result']> {
    const child = this.#child
    if (!child?.connected) return Promise.reject(new DoorsLost('the doors are not open'))
    const call = ++this.#calls
    return new Promise((resolve, reject) => {
      this.#waiting.set(call, { resolve: (result) => resolve(result as Methods[M]['result']), reject })
      // Whoever waits learns of a channel that broke by the end of the process.
      child.send({ call, method, args } as Call, () => undefined)
    })
  }

  #hear(child: ChildProcess, said: Said): void {
    if (child !== this.#child) return
    if ('call' in said) {
      const waiting = this.#waiting.get(said.call)
      this.#waiting.delete(said.call)
      if ('error' in said) waiting?.reject(new Error(said.error))
      else waiting?.resolve(said.result)
    } else if ('charged' in said) this.#note(said.box, said)
    else if ('changed' in said) this.#options.changed(said.changed)
    else if ('report' in said) this.#options.report(said.report, said.fields)
    else void this.#answer(said)
  }

  #note(box: number, { charged, written }: Heard): void {
    const heard = this.#heard.get(box) ?? { charged: 0, written: 0 }
    this.#heard.set(box, { charged: heard.charged + charged, written: heard.written + written })
    if (charged > 0) this.#options.charged(box, charged)
    this.#options.written(box, written)
  }

  /** What was on its way from a process that has ended, or to a box that is gone, does not arrive any more. */
  #forget(box: number): void {
    const { charged, written } = this.#heard.get(box) ?? { charged: 0, written: 0 }
    this.#heard.delete(box)
    this.#options.written(box, Math.max(0, charged - written))
  }

  async #answer(asked: DoorsQuestion): Promise<void> {
    let problem: string | undefined
    try {
      if ('key' in asked) problem = await this.#options.installKey(asked.box, asked.username, asked.key)
      else await this.#options.begin(asked.box)
    } catch (error) {
      const what = 'key' in asked ? 'a key cannot be installed' : 'what somebody writes cannot be counted'
      this.#options.report(what, { box: asked.box, reason: (error as Error).message })
      problem = `${what} at the moment`
    }
    const answer: Answered = { question: asked.question, problem: problem ?? null }
    if (this.#child?.connected) this.#child.send(answer, () => undefined)
  }

  #lose(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return
    this.#dropChild()
    for (const { reject } of this.#waiting.values()) reject(new DoorsLost('the process of the doors ended'))
    this.#waiting.clear()
    if (this.#isClosed || this.#isStarting) return
    this.#options.report('the process of the doors of Storage Boxes died', { reason })
    void this.#recover()
  }

  #dropChild(): void {
    this.#child = undefined
    for (const box of [...this.#heard.keys()]) this.#forget(box)
  }

  async #recover(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.start()
        return
      } catch (error) {
        if (this.#isClosed) return
        this.#options.report('the doors of Storage Boxes do not open again', { reason: (error as Error).message })
        await delay(waitMs, undefined, { ref: false })
      }
    }
  }
}
