/**
 * What happens elsewhere. One tab of the browser holds the stream of events and tells the others, because a browser has
 * only six connections to a server. Without a stream, what is shown is asked for again from time to time.
 */
import type { QueryClient } from '@tanstack/react-query'
import type { Action } from './actions.ts'
import { note, setLive } from './follow-actions.ts'
import { isLong, refresh } from './patch.ts'

interface Event {
  readonly family: string
  readonly ids: readonly number[]
  /** What is new of an action; the resources are those of the event. */
  readonly action?: Pick<Action, 'id' | 'command' | 'status' | 'progress'>
}

type News =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'resync' }
  /** The stream is open, or no longer. */
  | {
      readonly kind: 'live'
      readonly isLive: boolean
      /** Whether anything may have happened before that the stream does not tell. */
      readonly hasMissed?: boolean
    }
  /** Another tab asks whether it is. */
  | { readonly kind: 'hello' }

const pollMs = 20_000
const gatherMs = 300
/** After so many connections that failed, the stream is tried only now and then. */
const mostFailures = 2
const shortPauseMs = 3_000
const firstPauseMs = 60_000
const longestPauseMs = 600_000

/** Follows the events of a Project until the returned function is called. */
export function followEvents(project: number, cache: QueryClient): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const channel = new BroadcastChannel(`wolke-events-${project}`)
  let pending = new Map<string, Set<number>>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  let isLive = false
  let isLeading = false
  const gather = ({ family, ids }: Event) => {
    pending.set(family, new Set([...(pending.get(family) ?? []), ...ids]))
    gathering ??= setTimeout(() => {
      gathering = undefined
      const changes = pending
      pending = new Map()
      refresh(cache, project, changes).catch(() => cache.invalidateQueries())
    }, gatherMs)
  }
  const take = (news: News) => {
    if (news.kind === 'hello') {
      if (isLeading) channel.postMessage({ kind: 'live', isLive } satisfies News)
      return
    }
    if (news.kind === 'live') {
      // What was read before the stream began may have changed in between. Long lists are too much to read for that.
      const isKept = news.hasMissed ? () => false : isLong
      if (news.isLive && !isLive)
        void cache.invalidateQueries({ predicate: ({ state }) => state.data !== undefined && !isKept(state.data) })
      isLive = news.isLive
      setLive(isLive)
    } else if (news.kind === 'resync') {
      void cache.invalidateQueries()
    } else {
      const { family, ids, action } = news.event
      if (action) note(project, [followed(action, family, ids)])
      gather(news.event)
    }
  }
  channel.onmessage = ({ data }: MessageEvent<News>) => take(data)
  channel.postMessage({ kind: 'hello' } satisfies News)
  lead(project, signal, (news) => {
    isLeading = true
    take(news)
    if (!signal.aborted) channel.postMessage(news)
  })
  const polling = setInterval(() => {
    if (!document.hidden && !isLive) void cache.invalidateQueries({ refetchType: 'active' })
  }, pollMs)
  return () => {
    ending.abort()
    clearTimeout(gathering)
    clearInterval(polling)
    channel.close()
    setLive(false)
  }
}

function followed(action: NonNullable<Event['action']>, family: string, ids: readonly number[]): Action {
  const type = family.replace(/s$/, '')
  return { ...action, started: '', finished: null, error: null, resources: ids.map((id) => ({ id, type })) }
}

/** Opens the stream as soon as no other tab has it open. */
function lead(project: number, signal: AbortSignal, tell: (news: News) => void): void {
  const hold = () => new Promise<void>((resolve) => openStream(project, signal, tell, resolve))
  // Locks need a secure page; elsewhere each tab has a stream of its own.
  if (!navigator.locks) return void hold()
  navigator.locks.request(`wolke-events-${project}`, { signal }, hold).catch(() => undefined)
}

/**
 * After a few connections that failed, the stream is tried again from time to time; meanwhile everything is asked for.
 * One tab does that for all.
 */
function openStream(project: number, signal: AbortSignal, tell: (news: News) => void, done: () => void): void {
  if (signal.aborted) {
    done()
    return
  }
  let stream: EventSource
  let again: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let isOpen = false
  const connect = () => {
    // Only the browser's own attempts tell the server where they left off.
    const hasMissed = failures > 0
    stream = new EventSource(`/console/api/projects/${project}/events`)
    stream.onopen = () => {
      tell({ kind: 'live', isLive: true, hasMissed: hasMissed && failures > 0 })
      failures = 0
      isOpen = true
    }
    stream.onmessage = ({ data }: MessageEvent<string>) => tell({ kind: 'event', event: JSON.parse(data) as Event })
    stream.addEventListener('resync', () => tell({ kind: 'resync' }))
    stream.onerror = () => {
      if (!isOpen) failures += 1
      isOpen = false
      tell({ kind: 'live', isLive: false })
      if (stream.readyState !== EventSource.CLOSED && failures < mostFailures) return
      stream.close()
      again = setTimeout(connect, pauseAfter(failures))
    }
  }
  signal.addEventListener(
    'abort',
    () => {
      clearTimeout(again)
      stream.close()
      done()
    },
    { once: true },
  )
  // What happened between the end of another tab's stream and the beginning of this one is read.
  tell({ kind: 'live', isLive: false })
  connect()
}

function pauseAfter(failures: number): number {
  return failures < mostFailures
    ? shortPauseMs
    : Math.min(firstPauseMs * 2 ** (failures - mostFailures), longestPauseMs)
}
