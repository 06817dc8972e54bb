/** The notes that concern the whole console: no connection, too many requests. */
import { useEffect, useState } from 'react'
import { reachable, throttled } from '../api/client.ts'
import { useStore } from '../lib/store.ts'
import { Note } from '../ui/note.tsx'
import { span, timeOfDay } from '../words/format.ts'
import { shell as words } from '../words/shell.ts'

const w = words.states

export function Banners() {
  const { isReachable, since } = useStore(reachable)
  const limit = useStore(throttled)
  const now = useSeconds(limit !== undefined)
  const left = limit ? limit.until - now : 0
  useEffect(() => {
    if (limit && left <= 0) throttled.set(undefined)
  }, [limit, left])
  if (isReachable && left <= 0) return null
  return (
    <section className="stack" aria-label={words.news}>
      {!isReachable && (
        <Note mood="warn" isNews>
          <b>{w.offline}.</b> {w.offlineText(timeOfDay(since))}
        </Note>
      )}
      {left > 0 && (
        <Note mood="warn">
          <span role="timer">{w.throttled(span(left))}</span>
        </Note>
      )}
    </section>
  )
}

/** The time, every second while it matters. */
function useSeconds(isOn: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isOn) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [isOn])
  return now
}
