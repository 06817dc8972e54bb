/**
 * Work on input that may be made to take forever: on a thread of its own, one piece at a time, each under a hard limit.
 * A thread that exceeds it is killed and replaced, so that the event loop never waits and the next piece is done. The
 * thread starts with the first piece and ends when there has been none for a while.
 */
import { parentPort, Worker } from 'node:worker_threads'
import { ApiError } from '../errors.ts'

/** The work did not end within its limits of time or memory. */
export class Exhausted extends Error {}

export interface SideThreadOptions {
  /** How long one piece may take, in milliseconds, without its wait and the thread's start. */
  readonly limitMs: number
  /** How many pieces may wait. */
  readonly maxWaiting?: number
  /** How long the thread stays without work, in milliseconds. */
  readonly idleMs?: number
}

interface Piece<Input, Output> {
  readonly input: Input
  resolve(output: Output): void
  reject(error: unknown): void
}

/** How long a thread may take to start, in milliseconds. */
const startMs = 30_000

/** The near end: takes work and hands it on. */
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

  /** Errors: `unavailable` when too much waits already; `Exhausted`; whatever the work throws. */
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
      // Only while it works does it keep the process from ending.
      worker.ref()
      worker.postMessage(input)
      const output = await answerOf<Output>(worker, this.#options.limitMs)
      worker.unref()
      return output
    } catch (error) {
      this.#end()
      throw error
    }
  }

  /** It gets no environment, no arguments and little memory: all that it needs comes with its work. */
  async #start(): Promise<Worker> {
    const resourceLimits = { maxOldGenerationSizeMb: 64 }
    const worker = new Worker(this.#file, { env: {}, argv: [], execArgv: [], resourceLimits })
    this.#worker = worker
    // An error also makes it exit.
    worker
      .on('error', () => undefined)
      .once('exit', () => {
        if (this.#worker === worker) this.#worker = undefined
      })
    await answerOf(worker, startMs).catch((cause: unknown) => {
      throw new Error('a side thread did not start', { cause })
    })
    return worker
  }

  #end(): void {
    void this.#worker?.terminate()
    this.#worker = undefined
  }
}

/** The next message of a worker. Errors: `Exhausted`; what it did not catch. */
async function answerOf<Output>(worker: Worker, limitMs: number): Promise<Output> {
  const { promise, resolve, reject } = Promise.withResolvers<Output>()
  const exhaust = () => reject(new Exhausted(`the work did not end within ${limitMs} ms`))
  const fail = (error: Error & { code?: string }) =>
    reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Exhausted(error.message) : error)
  // After a stall of this thread, an answer that is here already is read before the worker is given up.
  const limit = setTimeout(() => setImmediate(exhaust), limitMs)
  worker.on('message', resolve).on('error', fail).on('exit', exhaust)
  try {
    return await promise
  } finally {
    clearTimeout(limit)
    worker.off('message', resolve).off('error', fail).off('exit', exhaust)
  }
}

/** Makes the module that it is called in the far end of a `SideThread`. */
export function serveThread<Input, Output>(work: (input: Input) => Output): void {
  parentPort?.on('message', (input: Input) => parentPort?.postMessage(work(input)))
  // Its first message says that it can be given work.
  parentPort?.postMessage('ready')
}
