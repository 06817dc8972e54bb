/** The needs that follow from the states of resources. The slice of a family that can fail has them in `states.ts`. */
import { type Family, families } from '../../families.ts'
import type { Target } from '../../ui/link.tsx'
import type { Mood } from '../../ui/state.tsx'

export interface Need {
  readonly key: string
  readonly mood: Mood
  readonly title: string
  readonly text: string
  readonly link: Target
}

export interface States<Row> {
  /** Its place among the needs of all families. */
  readonly place: number
  readonly needsOf: (row: Row) => readonly Need[]
  /** True if nothing tells of its state as it changes, so that it is asked for again and again. */
  readonly isSilent?: boolean
  /** Returns whether its state is not known yet, as when a data plane does not answer. */
  readonly isUnknown?: (row: Row) => boolean
  /** True if its state tells of acts that failed, which then need nobody a second time. */
  readonly tellsFailures?: boolean
}

/** Things of different kinds have the same names. */
export function withKind(family: Family, text: string): string {
  return [families[family].label, text].filter(Boolean).join(' · ')
}
