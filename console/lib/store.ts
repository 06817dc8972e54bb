/** A value that parts of the page can watch, outside of the cache of replies. */
import { useSyncExternalStore } from 'react'

interface Store<Value> {
  get(): Value
  set(value: Value): void
  subscribe(changed: () => void): () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const watchers = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return
      value = next
      for (const changed of watchers) changed()
    },
    subscribe(changed) {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
  }
}

export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get)
}
