/** Shows whether an image can be used, and until when. */
import { State } from '../../ui/state.tsx'
import { date } from '../../words/format.ts'
import type { Shown } from './image.ts'
import { images as w } from './words.ts'

export function dayOf(time: string): string {
  return date(time, { day: 'numeric', month: 'short', year: 'numeric' })
}

export function ImageStatus({ image: { status, deprecation } }: { readonly image: Shown }) {
  if (status === 'creating') return <State mood="busy">{w.creating}</State>
  if (!deprecation) return <State mood="ok">{w.available}</State>
  return (
    <>
      <State mood="warn">{w.deprecated}</State>
      <small>{w.until(dayOf(deprecation.unavailable_after))}</small>
    </>
  )
}
