/** Speaks with the master process of one balancer, which passes commands on to its workers. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../../kernel/actions/define.ts'
import { Refusal } from './readiness.ts'
import {
  type CheckRow,
  type Counters,
  type Processes,
  parseChecks,
  parseCounters,
  parseProcesses,
} from './statistics.ts'

/** How long readers wait for an answer, and those who ask again and again. */
const shortMs = 1_000
/** How long changes wait for one, which on a busy machine is long. */
const longMs = 15_000
const reloadMs = 30_000
const pauseMs = 20

export class Master {
  readonly #folder: string

  /** Errors of all methods are those of a master that does not answer within 15 seconds, unless others are named. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** What all processes are. */
  async processes(withinMs = longMs): Promise<Processes> {
    return parseProcesses(await this.#ask('show proc', withinMs))
  }

  /** Waits until a worker takes connections; false when none does in time, or when it is no use to wait any longer. */
  async hasWorkerWithin(timeoutMs: number, isOver = () => false): Promise<boolean> {
    const found = await this.#waitFor(timeoutMs, (processes) => {
      if (processes?.worker !== undefined) return true
      return isOver() ? false : undefined
    })
    return found ?? false
  }

  /** What the worker that takes connections says of targets. Errors: one when it does not answer within a second. */
  async checks(): Promise<CheckRow[]> {
    return parseChecks(await this.#ask('@1 show stat -1 4 -1', shortMs))
  }

  /** What each worker has counted so far, by process id, without those that have just ended. */
  async counters(): Promise<Readonly<Record<string, Counters>>> {
    const { worker, oldWorkers } = await this.processes()
    const counted: Record<string, Counters> = {}
    for (const pid of [...(worker === undefined ? [] : [worker]), ...oldWorkers]) {
      const counters = await this.#countersOf(pid)
      if (counters) counted[pid] = counters
    }
    return counted
  }

  async #countersOf(pid: number): Promise<Counters | undefined> {
    const answer = await this.#ask(`@!${pid} show stat -1 1 -1`)
    return answer.startsWith('# pxname') ? parseCounters(answer) : undefined
  }

  /** The state of all targets in the form in which a new worker takes it over. Errors: one when there is no answer. */
  async serverState(): Promise<string> {
    const state = await this.#ask('@1 show servers state')
    if (!state.startsWith('1\n')) throw new Error(`HAProxy answers ${JSON.stringify(state.slice(0, 200))}`)
    return state
  }

  /** Replaces certificates in memory, all or none. Errors: a permanent `Refusal` with HAProxy's reason. */
  async replaceCertificates(certificates: ReadonlyMap<string, string>): Promise<void> {
    for (const [path, pem] of certificates) {
      const answer = await this.#ask(`@1 set ssl cert ${path} <<\n${pem}`)
      if (/^Transaction (created|updated)/.test(answer)) continue
      for (const begun of certificates.keys()) await this.#ask(`@1 abort ssl cert ${begun}`)
      throw new Refusal(`HAProxy refuses ${path}: ${answer.trim()}`, { transient: false })
    }
    for (const path of certificates.keys()) {
      const answer = await this.#ask(`@1 commit ssl cert ${path}`)
      if (!answer.includes('Success')) throw new Error(`HAProxy refuses ${path}: ${answer.trim()}`)
    }
  }

  /**
   * Starts a new worker with the files as they are now and waits until it takes connections. Answers whether it does; the
   * old one goes on otherwise. Errors: a transient `DriverError` when neither is known in time.
   */
  async reload(): Promise<boolean> {
    const before = await this.processes()
    process.kill(before.master, 'SIGUSR2')
    const isDone = await this.#waitFor(reloadMs, (processes) => {
      if (processes && processes.failedReloads > before.failedReloads) return false
      return processes?.worker !== undefined && processes.worker !== before.worker ? true : undefined
    })
    if (isDone === undefined) throw new DriverError('HAProxy does not reload', { transient: true })
    return isDone
  }

  /** Waits until a question is decided by the processes; undefined when it is not in time. */
  async #waitFor(
    timeoutMs: number,
    decide: (processes: Processes | undefined) => boolean | undefined,
  ): Promise<boolean | undefined> {
    const until = performance.now() + timeoutMs
    for (;;) {
      // The master answers nothing while it starts.
      const decision = decide(await this.processes(shortMs).catch(() => undefined))
      if (decision !== undefined || performance.now() > until) return decision
      await delay(pauseMs)
    }
  }

  /** Keeps the worker that takes connections from ending for some seconds, so that it can be asked what it counted. */
  async holdWorker(): Promise<Disposable> {
    const socket = connect(join(this.#folder, 'worker.sock'))
    await once(socket, 'connect')
    // It may end all the same, when it crashes.
    socket.on('error', () => socket.destroy())
    return { [Symbol.dispose]: () => socket.destroy() }
  }

  #ask(command: string, withinMs = longMs): Promise<string> {
    return new Promise((resolve, reject) => {
      const parts: Buffer[] = []
      const socket = connect(join(this.#folder, 'master.sock'))
      const timer = setTimeout(() => socket.destroy(new Error('HAProxy does not answer')), withinMs)
      socket.on('data', (part) => parts.push(part))
      socket.on('end', () => resolve(Buffer.concat(parts).toString()))
      socket.on('error', reject)
      socket.on('close', () => clearTimeout(timer))
      socket.end(`${command}\n`)
    })
  }
}
