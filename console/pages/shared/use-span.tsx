/** The time that a chart shows, which is one of a few lengths until now. */
import { type ReactNode, useMemo, useState } from 'react'
import { Seg } from '../../ui/seg.tsx'
import { resources as r } from '../../words/resources.ts'

const hourMs = 3_600_000
const lengths = { hour: hourMs, day: 24 * hourMs, week: 7 * 24 * hourMs, month: 30 * 24 * hourMs } as const
type Length = keyof typeof lengths

interface Span {
  readonly start: string
  readonly end: string
}

/** Returns the time, and what chooses its length. */
export function useSpan(
  offered: readonly Length[],
  first: Length,
): { readonly span: Span; readonly picker: ReactNode } {
  const [length, setLength] = useState(first)
  const span = useMemo(() => {
    const end = Date.now()
    return { start: new Date(end - lengths[length]).toISOString(), end: new Date(end).toISOString() }
  }, [length])
  const options = offered.map((value) => ({ value, label: r.spans[value] }))
  return { span, picker: <Seg label={r.span} value={length} options={options} onChange={setLength} /> }
}
