/**
 * Runs work on input that may be crafted to take forever: on a thread, one piece at a time, with a hard limit for each.
 * A thread that exceeds the limit is killed and replaced, so the event loop never blocks and the next piece still runs.
 * The limit is one of processor time, so that input is not refused because the machine is busy. The thread starts with
 * the first piece and ends when idle.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'

/** The work exceeded its limit of time or memory. */
export class Exhausted extends Error {}

export interface SideThreadOptions {
  /** The most processor time of one piece, in milliseconds. */
  readonly limitMs: number
  /** Maximum number of waiting pieces. */
  readonly maxWaiting?: number
  /** The time for which an idle thread is kept, in milliseconds. */
  readonly idleMs?: number
}

interface Piece<Input, Output> {
  readonly input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

/** The time that a thread has to start, in milliseconds. */
const startMs = 30_000

/** The caller's side: queues work and sends it to the thread. */
export class SideThread<Input, Output> {
  readonly #file: URL
  readonly #options: Required<SideThreadOptions>
  readonly #waiting: Piece<Input, Output>[] = []
  #worker: Worker | undefined
  #isWorking = false
  #idle: NodeJS.Timeout | undefined

  /** `file` is a module that calls `serveThread`. */
  constructor(file: URL, { limitMs, maxWaiting = 100, idleMs = 10_000 }: SideThreadOptions) {
    this.#file = file
    this.#options = { limitMs, maxWaiting, idleMs }
  }

  /** Errors: `unavailable` when too much work waits, or the machine is too busy for it; `Exhausted`; errors of the work. */
  async run(input: Input): Promise<Output> {
    if (this.#waiting.length >= this.#options.maxWaiting) {
      throw new ApiError('unavailable', 'too many requests of this kind are waiting; try again')
    }
    return new Promise<Output>((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject })
      if (!this.#isWorking) void this.#work()
    })
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    clearTimeout(this.#idle)
    for (let piece = this.#waiting.shift(); piece; piece = this.#waiting.shift()) {
      try {
        piece.resolve(await this.#do(piece.input))
      } catch (error) {
        piece.reject(error)
      }
    }
    this.#isWorking = false
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
  }

  async #do(input: Input): Promise<Output> {
    try {
      const worker = this.#worker ?? (await this.#start())
      // The thread keeps the process alive only while it works.
      worker.ref()
      const answer = answerOf<Output>(worker, afterWork(worker, this.#options.limitMs))
      worker.postMessage(input)
      const output = await answer
      worker.unref()
      return output
    } catch (error) {
      this.#end()
      throw error
    }
  }

  /** The thread gets no environment, no arguments and little memory: its input is all that it needs. */
  async #start(): Promise<Worker> {
    const resourceLimits = { maxOldGenerationSizeMb: 64 }
    const worker = new Worker(this.#file, { env: {}, argv: [], execArgv: [], resourceLimits })
    this.#worker = worker
    // After an error the thread also exits, which is handled below.
    worker
      .on('error', () => undefined)
      .once('exit', () => {
        if (this.#worker === worker) this.#worker = undefined
      })
    await answerOf(worker, afterTime(startMs)).catch((cause: unknown) => {
      if (cause instanceof ApiError) throw cause
      throw new Error('a side thread did not start', { cause })
    })
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

/** Calls back with the reason when an answer is no longer waited for; what it returns ends the watch. */
type Limit = (giveUp: (reason: Error) => void) => () => void

const tooLong = (limitMs: number) => new Exhausted(`the work did not end within ${limitMs} ms`)
const busy = () => new ApiError('unavailable', 'the server is too busy to read this; try again')

function afterTime(limitMs: number): Limit {
  return (giveUp) => {
    const timer = setTimeout(() => giveUp(busy()), limitMs)
    return () => clearTimeout(timer)
  }
}

/** A machine on which work takes so many times as long as its processor time has no room for it now. */
const mostStarved = 60

/** Gives up when the thread has worked for too long, however seldom it had a processor meanwhile. */
function afterWork(worker: Worker, limitMs: number): Limit {
  return (giveUp) => {
    const before = worker.cpuUsage()
    let isOver = false
    const look = async () => {
      const { user, system } = await worker.cpuUsage(await before)
      const workedMs = (user + system) / 1_000
      if (workedMs >= limitMs) giveUp(tooLong(limitMs))
      else if (!isOver) next = again(limitMs - workedMs)
    }
    // One that has ended meanwhile tells that itself.
    const again = (ms: number) => setTimeout(() => void look().catch(() => undefined), ms)
    let next = again(limitMs)
    const last = setTimeout(() => giveUp(busy()), mostStarved * limitMs)
    before.catch(() => undefined)
    return () => {
      isOver = true
      clearTimeout(next)
      clearTimeout(last)
    }
  }
}

/** The next message of a thread. Errors: those of the limit; those that the thread did not catch. */
async function answerOf<Output>(worker: Worker, limit: Limit): Promise<Output> {
  const { promise, resolve, reject } = Promise.withResolvers<Output>()
  const exhaust = () => reject(new Exhausted('the thread ended before its work'))
  const fail = (error: Error & { code?: string }) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Exhausted(error.message) : error)
  // After a stall of this thread, a reply that has already arrived is read before the worker is given up.
  const end = limit((reason) => void setImmediate(() => reject(reason)))
  worker.on('message', resolve).on('error', fail).on('exit', exhaust)
  try {
    return await promise
  } finally {
    end()
    worker.off('message', resolve).off('error', fail).off('exit', exhaust)
  }
}

/** Turns the calling module into the thread's side of a `SideThread`. */
export function serveThread<Input, Output>(work: (input: Input) => Output): void {
  parentPort?.on('message', (input: Input) => parentPort?.postMessage(work(input)))
  // The first message signals that the thread is ready.
  parentPort?.postMessage('ready')
}
