/** Actions that run, as far as they are known. `follow-actions.ts` keeps this up to date. */
import { useSyncExternalStore } from 'react'
import { createStore, useStore } from '../lib/store.ts'
import type { ReplyFor } from './operations.ts'

export type Action = ReplyFor<'actions_get'>['action']

export interface Tracked {
  readonly project: number
  readonly action: Action
  readonly endedAt?: number
}

export const tracked = createStore<ReadonlyMap<number, Tracked>>(new Map())

/** The running actions of a Project, and those that just ended. */
export function useActions(project: number | undefined): readonly Action[] {
  return [...useStore(tracked).values()].filter((one) => one.project === project).map(({ action }) => action)
}

/** The action that runs on a resource, the oldest of several. */
export function runningOn(type: string, id: number): Action | undefined {
  for (const { action } of tracked.get().values()) {
    const isOn = (one: Action['resources'][number]) => one.type === type && one.id === id
    if (action.status === 'running' && action.resources.some(isOn)) return action
  }
  return undefined
}

/** The same, as it changes. */
export function useRunning(type: string, id: number): Action | undefined {
  return useSyncExternalStore(tracked.subscribe, () => runningOn(type, id))
}
