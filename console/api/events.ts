/**
 * What happens elsewhere. One tab of the browser holds the stream of events and tells the others, because a browser has
 * only six connections to a server. Without a stream, what is shown is asked for again from time to time.
 */
import type { QueryClient } from '@tanstack/react-query'
import { type Action, note, setLive } from './actions.ts'
import { outdate } from './api.ts'

interface Event {
  readonly family: string
  readonly ids: readonly number[]
  readonly action?: Action
}

type News = { readonly kind: 'event'; readonly event: Event } | { readonly kind: 'resync' } | { readonly kind: 'live' }

const pollMs = 20_000
const gatherMs = 300
const mostFailures = 2

/** Follows the events of a Project until the returned function is called. */
export function followEvents(project: number, cache: QueryClient): () => void {
  const ending = new AbortController()
  const { signal } = ending
  const channel = new BroadcastChannel(`wolke-events-${project}`)
  const pending = new Set<string>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  const take = (news: News) => {
    setLive(true)
    if (news.kind === 'resync') void cache.invalidateQueries()
    if (news.kind !== 'event') return
    const { family, action } = news.event
    if (action) note(project, [action])
    pending.add(family)
    gathering ??= setTimeout(() => {
      gathering = undefined
      void outdate(cache, project, [...pending])
      pending.clear()
    }, gatherMs)
  }
  channel.onmessage = ({ data }: MessageEvent<News>) => take(data)
  const tell = (news: News) => {
    take(news)
    channel.postMessage(news)
  }
  lead(project, signal, tell)
  const polling = setInterval(() => {
    if (!document.hidden && !isLeading.has(project)) void cache.invalidateQueries({ refetchType: 'active' })
  }, pollMs)
  return () => {
    ending.abort()
    clearTimeout(gathering)
    clearInterval(polling)
    channel.close()
    setLive(false)
  }
}

const isLeading = new Set<number>()

/** Opens the stream as soon as no other tab has it open. */
function lead(project: number, signal: AbortSignal, tell: (news: News) => void): void {
  const hold = () => new Promise<void>((resolve) => openStream(project, signal, tell, resolve))
  // Locks need a secure page; elsewhere each tab has a stream of its own.
  if (!navigator.locks) return void hold()
  navigator.locks.request(`wolke-events-${project}`, { signal }, hold).catch(() => undefined)
}

function openStream(project: number, signal: AbortSignal, tell: (news: News) => void, done: () => void): void {
  const stream = new EventSource(`/console/api/projects/${project}/events`)
  let failures = 0
  const end = () => {
    stream.close()
    isLeading.delete(project)
    setLive(false)
    done()
  }
  stream.onopen = () => {
    failures = 0
    isLeading.add(project)
    tell({ kind: 'live' })
  }
  stream.onmessage = ({ data }: MessageEvent<string>) => tell({ kind: 'event', event: JSON.parse(data) as Event })
  stream.addEventListener('resync', () => tell({ kind: 'resync' }))
  stream.onerror = () => {
    isLeading.delete(project)
    setLive(false)
    failures += 1
    if (stream.readyState === EventSource.CLOSED || failures > mostFailures) end()
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
}
