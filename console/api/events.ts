/**
 * Follows changes made elsewhere. One tab of the browser holds the stream of events and tells the others, because a
 * browser has only six connections to a server. Without a stream, what is shown is asked for again from time to time.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { Action } from './actions.ts'
import { heard, probe } from './client.ts'
import { type Event, holdStream, type Leader, type News } from './event-stream.ts'
import { note, setLive } from './follow-actions.ts'
import { typeOf } from './operations.ts'
import { outdate, outdateAll } from './outdate.ts'

const pollMs = 20_000
const gatherMs = 300
/** A reply may be older than its arrival by this much, and an event by that. */
const marginMs = 5_000
/** Events that a tab remembers for others. */
const mostRemembered = 200

/** Follows the events of a Project until the returned function is called. */
export function followEvents(project: number, cache: QueryClient): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const tab = Math.random()
  const channel = new BroadcastChannel(`wolke-events-${project}`)
  const tell = (news: News) => channel.postMessage(news)
  const gather = gatherer(project, cache, signal)
  const begin = oldestRead(cache, project)
  const memory = new Memory(begin)
  let isLive = false
  let isLeading = false
  /** True once this tab got what it missed before it listened. */
  let hasCaughtUp = false
  const knownUntil = () => (hasCaughtUp ? memory.newest : begin)
  const greet = () => tell({ kind: 'hello', tab, since: knownUntil() })
  const hear = (event: Event) => {
    memory.add(event)
    const { family, ids, action } = event
    if (action) note(project, [followed(action, family, ids)])
    gather(event)
  }
  // A call finds out whether the server answers at all: an idle page would make none for long.
  const doubt = () => {
    if (!document.hidden) void probe(signal)
  }
  const takers: { readonly [Kind in News['kind']]: (news: News & { kind: Kind }) => void } = {
    event: ({ event }) => hear(event),
    resync: () => {
      memory.clear()
      void outdateAll(cache)
    },
    live: (news) => {
      if (news.isLive) heard()
      isLive = news.isLive
      setLive(isLive)
      if (!isLive || hasCaughtUp) return
      if (isLeading) hasCaughtUp = true
      // No tab led yet when this one began.
      else greet()
    },
    beat: heard,
    doubt,
    hello: ({ tab, since }) => {
      if (!isLeading || !hasCaughtUp) return
      const events = memory.since(since)
      tell({ kind: 'missed', tab, ...(events && { events }) })
      tell({ kind: 'live', isLive })
    },
    missed: (news) => {
      if (news.tab !== tab || hasCaughtUp) return
      hasCaughtUp = true
      if (!news.events) return void outdateAll(cache)
      for (const event of news.events) hear(event)
    },
  }
  const take = (news: News) => (takers[news.kind] as (news: News) => void)(news)
  channel.onmessage = ({ data }: MessageEvent<News>) => take(data)
  greet()
  for (const change of ['online', 'offline']) window.addEventListener(change, doubt, { signal })
  lead(project, signal, {
    awayMs: () => Date.now() - knownUntil(),
    tell(news) {
      isLeading = true
      take(news)
      if (!signal.aborted) tell(news)
    },
  })
  const polling = setInterval(() => {
    if (!document.hidden && !isLive) void outdateAll(cache)
  }, pollMs)
  return () => {
    ending.abort()
    clearInterval(polling)
    channel.close()
    setLive(false)
  }
}

/** Since when what is here of a Project may have changed, in milliseconds since the epoch. */
function oldestRead(cache: QueryClient, project: number): number {
  const replies = cache.getQueryCache().findAll({ queryKey: [project] })
  const times = replies.map(({ state }) => state.dataUpdatedAt).filter((time) => time > 0)
  return times.reduce((oldest, time) => Math.min(oldest, time), Date.now()) - marginMs
}

/** Reads what has changed, soon after it did and together. */
function gatherer(project: number, cache: QueryClient, signal: AbortSignal): (event: Event) => void {
  let pending = new Map<string, Set<number>>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  const readChanges = () => {
    gathering = undefined
    // Mostly one tab of many is seen; the others read once, when they are looked at.
    if (document.hidden || signal.aborted || pending.size === 0) return
    const changes = pending
    pending = new Map()
    outdate(cache, project, changes).catch(() => outdateAll(cache))
  }
  document.addEventListener('visibilitychange', readChanges, { signal })
  return ({ family, ids }) => {
    pending.set(family, new Set([...(pending.get(family) ?? []), ...ids]))
    if (gathering === undefined) gathering = setTimeout(readChanges, gatherMs)
  }
}

/** The last events, for tabs that begin to listen. */
class Memory {
  #told: { readonly at: number; readonly event: Event }[] = []
  #start: number
  /** The time up to which events are known, in milliseconds since the epoch. */
  newest: number

  constructor(start: number) {
    this.#start = start
    this.newest = start
  }

  add(event: Event): void {
    this.#told.push({ at: Date.now(), event })
    this.newest = Date.now() - marginMs
    if (this.#told.length > mostRemembered) this.#start = this.#told.shift()!.at
  }

  /** Forgets what it has; what happened until now is not known. */
  clear(): void {
    this.#told = []
    this.#start = Date.now()
    this.newest = this.#start - marginMs
  }

  /** Undefined when some of them are not known. */
  since(time: number): readonly Event[] | undefined {
    if (time < this.#start) return undefined
    return this.#told.filter(({ at }) => at > time).map(({ event }) => event)
  }
}

function followed(action: NonNullable<Event['action']>, family: string, ids: readonly number[]): Action {
  const type = typeOf(family)
  return { ...action, started: '', finished: null, error: null, resources: ids.map((id) => ({ id, type })) }
}

/** Opens the stream as soon as no other tab has it open. */
function lead(project: number, signal: AbortSignal, leader: Leader): void {
  const hold = () => new Promise<void>((resolve) => holdStream(project, signal, leader, resolve))
  // Locks need a secure page; elsewhere each tab has a stream of its own.
  if (!navigator.locks) return void hold()
  navigator.locks.request(`wolke-events-${project}`, { signal }, hold).catch(() => undefined)
}
