/** The states of pages that are seldom seen, loaded soon after the first picture. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

const load = () => import('./states.tsx')
const Failure = lazy(async () => ({ default: (await load()).PageFailure }))
const Nothing = lazy(async () => ({ default: (await load()).Missing }))

export async function loadStates(): Promise<void> {
  await load()
}

export function PageFailureLater(props: ErrorComponentProps) {
  return (
    <Suspense>
      <Failure {...props} />
    </Suspense>
  )
}

export function MissingLater() {
  return (
    <Suspense>
      <Nothing />
    </Suspense>
  )
}
