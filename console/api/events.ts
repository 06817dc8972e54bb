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
  | { readonly kind: 'live'; readonly isLive: boolean }
  /** Another tab asks whether it is. */
  | { readonly kind: 'hello' }

const pollMs = 20_000
const gatherMs = 300
const mostFailures = 2

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
      if (news.isLive && !isLive)
        void cache.invalidateQueries({ predicate: ({ state }) => state.data !== undefined && !isLong(state.data) })
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

function openStream(project: number, signal: AbortSignal, tell: (news: News) => void, done: () => void): void {
  if (signal.aborted) {
    done()
    return
  }
  const stream = new EventSource(`/console/api/projects/${project}/events`)
  let failures = 0
  const end = () => {
    stream.close()
    done()
  }
  stream.onopen = () => {
    failures = 0
    tell({ kind: 'live', isLive: true })
  }
  stream.onmessage = ({ data }: MessageEvent<string>) => tell({ kind: 'event', event: JSON.parse(data) as Event })
  stream.addEventListener('resync', () => tell({ kind: 'resync' }))
  stream.onerror = () => {
    failures += 1
    tell({ kind: 'live', isLive: false })
    // From then on everything is asked for from time to time.
    if (stream.readyState === EventSource.CLOSED || failures > mostFailures) end()
  }
  signal.addEventListener('abort', end, { once: true })
}
