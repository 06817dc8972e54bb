/** The Projects of the caller with what is to be said of each, in one request; and which of them are pinned here. */
import { apiOf, type ItemOf } from '../../api/api.ts'
import { createStore } from '../../lib/store.ts'

const everyMs = 20_000

export type Project = ItemOf<'management_listProjects'>

export const summariesQuery = {
  ...apiOf(undefined).list('management_listProjects', { query: { summary: true } }),
  refetchInterval: everyMs,
}

const key = 'wolke-pinned-projects'

/** The ids of the Projects that this browser shows first. */
export const pinned = createStore<readonly number[]>(readPinned())

function readPinned(): readonly number[] {
  try {
    const ids: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(ids) ? ids.filter((id): id is number => Number.isInteger(id)) : []
  } catch {
    return []
  }
}

export function switchPin(id: number): void {
  const ids = pinned.get()
  pinned.set(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id])
  try {
    localStorage.setItem(key, JSON.stringify(pinned.get()))
  } catch {
    // It lasts until the page is left.
  }
}
