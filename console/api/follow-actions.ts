/** Follows actions until they end: those that replies mention and that the stream of events tells of. */
import type { QueryClient } from '@tanstack/react-query'
import { type Action, type Tracked, tracked } from './actions.ts'
import { call, onReply } from './client.ts'
import { familyOf } from './operations.ts'
import { outdate } from './outdate.ts'

const pollMs = 1_000
/** The number of turns between two questions while the stream of events is open. */
const liveTurns = 3
/** Ended actions stay this long, so that the line below the top bar is seen to end. */
const lingerMs = 1_500

let isWaiting = false
let isLive = false
let turns = 0

/** Follows the actions in every reply until they end, and outdates the replies about what they changed. */
export function followActions(client: QueryClient): () => void {
  return onReply((reply, _request, project) => {
    if (project === undefined) return
    for (const ended of note(project, actionsIn(reply))) {
      outdate(client, project, changesOf(ended)).catch(() => undefined)
    }
  })
}

/** While the stream of events is open, little has to be asked for. */
export function setLive(live: boolean): void {
  isLive = live
  if (!live) schedule()
}

function actionsIn(reply: unknown): Action[] {
  if (typeof reply !== 'object' || reply === null) return []
  const {
    action,
    actions = [],
    next_actions: next = [],
  } = reply as {
    readonly action?: Action
    readonly actions?: readonly Action[]
    readonly next_actions?: readonly Action[]
  }
  return [...(action ? [action] : []), ...(Array.isArray(actions) ? actions : []), ...next]
}

/** Takes over what is known of actions now. Returns those that are new to have ended. */
export function note(project: number, actions: readonly Action[]): readonly Action[] {
  const news = actions
    .filter(({ id, status }) => status === 'running' || tracked.get().get(id)?.action.status === 'running')
    .map(withKnown)
  if (news.length === 0) return []
  const next = new Map(tracked.get())
  for (const action of news) {
    const hasEnded = action.status !== 'running'
    next.set(action.id, { project, action, ...(hasEnded ? { endedAt: Date.now() } : {}) })
  }
  tracked.set(next)
  schedule()
  return news.filter(({ status }) => status !== 'running')
}

/** The stream tells of an action family by family, and only how far it is: what is known besides stays known. */
function withKnown(action: Action): Action {
  const known = tracked.get().get(action.id)?.action
  if (!known) return action
  const isNew = ({ type, id }: Action['resources'][number]) =>
    !action.resources.some((one) => one.type === type && one.id === id)
  return {
    ...action,
    started: action.started || known.started,
    error: action.error ?? known.error,
    resources: [...action.resources, ...known.resources.filter(isNew)],
  }
}

function schedule(): void {
  if (isWaiting) return
  isWaiting = true
  setTimeout(async () => {
    isWaiting = false
    forgetEnded()
    const running = [...tracked.get().values()].filter(({ action }) => action.status === 'running')
    // The stream can tell of an end before the reply that tells of the beginning is read, so it is asked as well.
    if (!document.hidden && (!isLive || ++turns % liveTurns === 0))
      await Promise.all([...Map.groupBy(running, ({ project }) => project)].map(ask))
    if (tracked.get().size > 0) schedule()
  }, pollMs)
}

function forgetEnded(): void {
  const before = Date.now() - lingerMs
  const kept = [...tracked.get()].filter(([, { endedAt }]) => endedAt === undefined || endedAt > before)
  if (kept.length < tracked.get().size) tracked.set(new Map(kept))
}

async function ask([project, some]: [number, readonly Tracked[]]): Promise<void> {
  const ids = some.map(({ action }) => action.id).slice(0, 50)
  // A question that fails is asked again with the next turn.
  await call(project, 'actions_list', { query: { id: ids, per_page: 50 } }).catch(() => undefined)
}

/** The resources that an action is about, by family. */
function changesOf({ resources }: Action): ReadonlyMap<string, ReadonlySet<number>> {
  const byFamily = Map.groupBy(resources, ({ type }) => familyOf(type))
  return new Map([...byFamily].map(([family, some]) => [family, new Set(some.map(({ id }) => id))]))
}
