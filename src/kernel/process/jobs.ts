/** What is done by the clock instead of on request. Every process does all chores: each is exact among several by itself. */
import type { Logger } from './log.ts'

const everyMs = 60_000

export interface Chores {
  /** Does all of them now and then again and again. */
  start(): void
  /** Does all of them once; what fails is logged and waits for the next time. */
  run(): Promise<void>
  /** Lets the chore in progress end and begins no more. */
  stop(): Promise<void>
}

/** Makes a round of chores; it does nothing before it is started. */
export function planChores(chores: readonly (() => Promise<void>)[], log: Logger): Chores {
  let timer: NodeJS.Timeout | undefined
  let round: Promise<void> | undefined
  let stopping = false

  const goRound = async () => {
    for (const chore of chores) {
      if (stopping) return
      await chore().catch((error: unknown) => log.error({ err: error }, 'a chore failed'))
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
