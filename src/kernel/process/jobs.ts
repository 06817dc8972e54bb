/**
 * Background jobs: work done periodically instead of on request. Every process runs all jobs, so each must be safe to
 * run in several at once.
 */
import type { Clock } from './clock.ts'
import type { Logger } from './log.ts'

const everyMs = 60_000

/** A job; lists name it by the name of its function, or by `name`. */
export type PlannedJob = (() => Promise<void>) | { readonly name: string; readonly run: () => Promise<void> }

/** The latest run of a job. Times are milliseconds, `startedAt` since the epoch. */
export interface JobRun {
  readonly startedAt: number
  readonly tookMs: number
  readonly hasFailed: boolean
}

export interface Jobs {
  /** All jobs in their order with their last run, if there was one. */
  runs(): readonly { readonly name: string; readonly last: JobRun | undefined }[]
  /** Runs all jobs now and then periodically. */
  start(): void
  /** Runs all jobs once; a failure is logged and the job waits for the next round. */
  run(): Promise<void>
  /** Waits for the job in progress and starts no more. */
  stop(): Promise<void>
}

/** Schedules background jobs; nothing runs before it is started. */
export function planJobs(jobs: readonly PlannedJob[], { log, clock }: { log: Logger; clock: Clock }): Jobs {
  const planned = jobs.map((job) => ({
    name: job.name,
    run: typeof job === 'function' ? job : job.run,
    last: undefined as JobRun | undefined,
  }))
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let stopping = false

  const goRound = async () => {
    for (const job of planned) {
      if (stopping) return
      const [startedAt, begun] = [clock.now(), performance.now()]
      const hasFailed = await job.run().then(
        () => false,
        (error: unknown) => {
          log.error({ err: error, job: job.name }, 'a background job failed')
          return true
        },
      )
      job.last = { startedAt, tookMs: performance.now() - begun, hasFailed }
    }
  }
  const run = () => {
    round ??= goRound().finally(() => {
      round = undefined
    })
    return round
  }
  return {
    runs: () => planned.map(({ name, last }) => ({ name, last })),
    start() {
      timer = setInterval(run, everyMs)
      void run()
    },
    run,
    async stop() {
      stopping = true
      clearInterval(timer)
      await round
    },
  }
}
