/** A point in time: relative to one day, then the date; exact on hover. */
import { useSyncExternalStore } from 'react'
import { createStore } from '../lib/store.ts'
import { ago, exactTime, span } from '../words/format.ts'

const tickMs = 10_000
/** Ages on the page become older together. */
const now = createStore(Date.now())
setInterval(() => document.hidden || now.set(Date.now()), tickMs)

/** Lists have many times, and nobody points at most of them. */
function tellExactly({ currentTarget }: { readonly currentTarget: HTMLTimeElement }): void {
  currentTarget.title = exactTime(currentTarget.dateTime)
}

export function Ago({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} onPointerEnter={tellExactly}>
      {ago(time)}
    </time>
  )
}

/** Shows the age of something, in its largest unit: `41 d`. */
export function Age({ since }: { readonly since: string }) {
  const age = () => span(Math.max(0, now.get() - Date.parse(since)))
  return (
    <time dateTime={since} onPointerEnter={tellExactly}>
      {useSyncExternalStore(now.subscribe, age)}
    </time>
  )
}
