/**
 * Background jobs: work done periodically instead of on request. Every process runs all jobs, so each must be safe to
 * run in several at once.
 */
import type { Clock, ClockEvent, EventSource } from './clock.ts'
import type { Logger } from './log.ts'

const everyMs = 60_000
/** How often the commits of other processes are looked for, in milliseconds. */
const followMs = 500

/**
 * When a job has something to do: at the events of a source, or `whenever` for one that repairs what may be wrong at any
 * time, or tidies up what nobody sees.
 */
export type Due = EventSource | 'whenever'

/** Says that something was due that was in the way of something else; it is done as soon as that has ended. */
export type Again = 'again' | undefined

/** A piece of work that may have to be done again. */
export type Work = () => Promise<void> | Promise<Again>

export interface PlannedJob {
  readonly name: string
  readonly due: Due
  readonly run: Work
  /** True where nothing shows when it was done, and no other work depends on it. */
  readonly isTidying?: boolean
  /** True for one that finds what other processes have committed, which is done twice a second instead of in the rounds. */
  readonly isFollowing?: boolean
}

/** Work that is done at the events of a source, which is told those that have come. */
export interface Timed extends Pick<PlannedJob, 'isTidying'> {
  readonly due: EventSource
  run(due: readonly ClockEvent[]): ReturnType<Work>
}

/** The latest run of a job. Times are milliseconds, `startedAt` since the epoch. */
export interface JobRun {
  readonly startedAt: number
  readonly tookMs: number
  readonly hasFailed: boolean
}

/** A job with its runs. */
export interface JobState {
  readonly name: string
  readonly due: Due
  readonly last: JobRun | undefined
  /** A time in milliseconds since the epoch. */
  readonly next: number | undefined
}

export interface Jobs {
  /** All jobs in their order, with their last run if there was one, and the time of the next in milliseconds if there will be. */
  runs(): readonly JobState[]
  /** The jobs that have something to do at events; a failure is logged. */
  readonly timed: readonly Timed[]
  /** Runs all jobs periodically: at once, too, unless they have just run. */
  start(options?: { readonly haveRun: boolean }): void
  /** Runs all jobs once; a failure is logged and the job waits for the next round. */
  run(): Promise<void>
  /** Waits for the job in progress and starts no more. */
  stop(): Promise<void>
}

/** Schedules background jobs; nothing runs before it is started. */
export function planJobs(jobs: readonly PlannedJob[], { log, clock }: { log: Logger; clock: Clock }): Jobs {
  const planned = jobs.map((job) => ({ job, last: undefined as JobRun | undefined }))
  const inRounds = planned.filter(({ job }) => !job.isFollowing)
  const following = planned.filter(({ job }) => job.isFollowing)
  let timers: NodeJS.Timeout[] = []
  let stopping = false
  /** The beginning of the latest round and of the latest look, or the time from which the first is counted. */
  let started: { round: number; look: number } | undefined

  const runOne = async (one: (typeof planned)[number]): Promise<Again> => {
    const [startedAt, begun] = [clock.now(), performance.now()]
    let hasFailed = false
    try {
      return (await one.job.run()) ?? undefined
    } catch (error) {
      hasFailed = true
      // What is tried twice a second says once that it fails.
      if (!one.job.isFollowing || !one.last?.hasFailed) {
        log.error({ err: error, job: one.job.name }, 'a background job failed')
      }
      return undefined
    } finally {
      one.last = { startedAt, tookMs: performance.now() - begun, hasFailed }
    }
  }
  const runAll = async (some: typeof planned) => {
    for (const one of some) {
      if (stopping) return
      await runOne(one)
    }
  }
  const round = oneAtATime(() => runAll(inRounds))
  const look = oneAtATime(() => runAll(following))
  const begin = (which: 'round' | 'look', work: typeof round) => {
    started![which] = clock.now()
    void work.run()
  }
  return {
    runs: () =>
      planned.map(({ job: { name, due, isFollowing }, last }) => {
        const next = started && (isFollowing ? started.look + followMs : started.round + everyMs)
        return { name, due, last, next: stopping ? undefined : next }
      }),
    timed: planned.flatMap((one) => {
      const { due, isTidying = false } = one.job
      return due === 'whenever' ? [] : [{ due, isTidying, run: () => runOne(one) }]
    }),
    start({ haveRun } = { haveRun: false }) {
      started = { round: clock.now(), look: clock.now() }
      timers = [
        setInterval(() => begin('round', round), everyMs),
        ...(following.length > 0 ? [setInterval(() => begin('look', look), followMs)] : []),
      ]
      if (!haveRun) void round.run()
    },
    async run() {
      await round.run()
      await look.run()
    },
    async stop() {
      stopping = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all([round.running(), look.running()])
    },
  }
}

/** Work that is not begun again while it runs: whoever asks for it meanwhile waits for the same end. */
function oneAtATime(work: () => Promise<void>) {
  let running: Promise<void> | undefined
  const run = () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
  return { run, running: () => running }
}
