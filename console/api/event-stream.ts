/** The stream of events that one tab holds for all: opened again when it breaks, and given up when it falls silent. */
import type { Action } from './actions.ts'

export interface Event {
  readonly family: string
  readonly ids: readonly number[]
  /** The new state of an action; the resources are those of the event. */
  readonly action?: Pick<Action, 'id' | 'command' | 'status' | 'progress'>
}

/** Messages between tabs. */
export type News =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'resync' }
  /** The stream is open, or no longer. */
  | { readonly kind: 'live'; readonly isLive: boolean }
  /** Something came through the stream. */
  | { readonly kind: 'beat' }
  /** The stream fell silent, or broke and could not be opened again. */
  | { readonly kind: 'doubt' }
  /** A tab begins to listen. What it knows is as old as `since`, in milliseconds since the epoch. */
  | { readonly kind: 'hello'; readonly tab: number; readonly since: number }
  /** The events that such a tab has missed; undefined where some are not known. */
  | { readonly kind: 'missed'; readonly tab: number; readonly events?: readonly Event[] }

export interface Leader {
  /** Returns the time since everything was known, in milliseconds. */
  awayMs(): number
  tell(news: News): void
}

/** After so many connections that failed, the stream is tried only now and then. */
const mostFailures = 2
const shortPauseMs = 3_000
const firstPauseMs = 60_000
const longestPauseMs = 600_000
/** The longest wait for the first beat, in milliseconds, and the number of beats that may then be missing. */
const firstBeatMs = 12_000
const beatsMissed = 2

/** Holds it until `signal` ends that. Errors of connections are told to `leader`. */
export function holdStream(project: number, signal: AbortSignal, leader: Leader, done: () => void): void {
  if (signal.aborted) {
    done()
    return
  }
  const held = new HeldStream(`/console/api/projects/${project}/events`, leader)
  // A pause ends at once when the network is back.
  window.addEventListener('online', () => held.hurry(), { signal })
  const end = () => {
    held.end()
    done()
  }
  signal.addEventListener('abort', end, { once: true })
  leader.tell({ kind: 'live', isLive: false })
  held.connect()
}

/**
 * After a few connections that failed, the stream is tried again from time to time; meanwhile everything is asked for.
 * One from which nothing comes, not even a beat, is a failure as well: nobody else would ever notice.
 */
class HeldStream {
  readonly #url: string
  readonly #leader: Leader
  #stream: EventSource | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #watch: ReturnType<typeof setTimeout> | undefined
  #silenceMs = firstBeatMs
  #failures = 0
  #isOpen = false

  constructor(url: string, leader: Leader) {
    this.#url = url
    this.#leader = leader
  }

  connect(): void {
    this.end()
    this.#wait()
    // The browser's own attempts say more exactly where they left off.
    const stream = new EventSource(`${this.#url}?away=${Math.max(1, this.#leader.awayMs())}`)
    this.#stream = stream
    stream.onmessage = ({ data }: MessageEvent<string>) => {
      this.#wait()
      this.#leader.tell({ kind: 'event', event: JSON.parse(data) as Event })
    }
    stream.addEventListener('beat', ({ data }: MessageEvent<string>) => this.#beat(Number(data)))
    stream.addEventListener('resync', () => this.#leader.tell({ kind: 'resync' }))
    stream.onerror = () => this.#broke(stream.readyState === EventSource.CLOSED)
  }

  /** Tries at once what would be tried later. */
  hurry(): void {
    if (!this.#isOpen) this.connect()
  }

  end(): void {
    clearTimeout(this.#again)
    clearTimeout(this.#watch)
    this.#stream?.close()
  }

  /** `ms` is when the next beat comes at the latest. */
  #beat(ms: number): void {
    this.#silenceMs = beatsMissed * ms
    this.#wait()
    this.#leader.tell(this.#isOpen ? { kind: 'beat' } : { kind: 'live', isLive: true })
    this.#isOpen = true
    this.#failures = 0
  }

  #broke(isOver: boolean): void {
    const wasOpen = this.#isOpen
    this.#lost(wasOpen ? this.#failures : this.#failures + 1)
    if (!wasOpen && this.#failures === 1) this.#leader.tell({ kind: 'doubt' })
    if (isOver || this.#failures >= mostFailures) this.#tryLater()
    else this.#wait()
  }

  #fellSilent(): void {
    this.#lost(this.#failures + 1)
    this.#leader.tell({ kind: 'doubt' })
    this.#tryLater()
  }

  #lost(failures: number): void {
    this.#failures = failures
    this.#isOpen = false
    this.#leader.tell({ kind: 'live', isLive: false })
  }

  #wait(): void {
    clearTimeout(this.#watch)
    this.#watch = setTimeout(() => this.#fellSilent(), this.#silenceMs)
  }

  #tryLater(): void {
    this.end()
    this.#again = setTimeout(() => this.connect(), pauseAfter(this.#failures))
  }
}

function pauseAfter(failures: number): number {
  return failures < mostFailures
    ? shortPauseMs
    : Math.min(firstPauseMs * 2 ** (failures - mostFailures), longestPauseMs)
}
