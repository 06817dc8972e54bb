/** What can be done with the selection; loaded with the first one. */
import { lazy, Suspense } from 'react'
import type { IconName } from './icon.tsx'

const Frame = lazy(async () => ({ default: (await import('./picked-bar-frame.tsx')).PickedBarFrame }))

export interface PickedAct {
  readonly key: string
  readonly label: string
  readonly icon: IconName
  readonly isBad?: boolean
  /** Why it cannot be used with what is selected. */
  readonly reason?: string | undefined
  readonly act: () => void
}

export interface PickedBarProps {
  readonly label: string
  readonly count: number
  readonly acts: readonly PickedAct[]
  readonly onClear: () => void
}

export function PickedBar(props: PickedBarProps) {
  if (props.count === 0) return null
  return (
    <Suspense>
      <Frame {...props} />
    </Suspense>
  )
}
