/** A point in time: relative to one day, then the date; exact on hover. */
import { ago, exactTime, span } from '../words/format.ts'

export function Ago({ time }: { readonly time: string }) {
  return (
    <time dateTime={time} title={exactTime(time)}>
      {ago(time)}
    </time>
  )
}

/** How old something is, in its largest unit: `41 d`. */
export function Age({ since }: { readonly since: string }) {
  return (
    <time dateTime={since} title={exactTime(since)}>
      {span(Date.now() - Date.parse(since))}
    </time>
  )
}
