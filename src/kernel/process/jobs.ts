/**
 * Background jobs: work done periodically instead of on request. Every process runs all jobs, so each must be safe to
 * run in several at once.
 */
import type { Logger } from './log.ts'

const everyMs = 60_000

export interface Jobs {
  /** Runs all jobs now and then periodically. */
  start(): void
  /** Runs all jobs once; a failure is logged and the job waits for the next round. */
  run(): Promise<void>
  /** Waits for the job in progress and starts no more. */
  stop(): Promise<void>
}

/** Schedules background jobs; nothing runs before it is started. */
export function planJobs(jobs: readonly (() => Promise<void>)[], log: Logger): Jobs {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let stopping = false

  const goRound = async () => {
    for (const job of jobs) {
      if (stopping) return
      await job().catch((error: unknown) => log.error({ err: error }, 'a background job failed'))
    }
  }
  const run = () => {
    round ??= goRound().finally(() => {
      round = undefined
    })
    return round
  }
  return {
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
