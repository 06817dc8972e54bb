/** The states of pages that are seldom seen, loaded soon after the first picture. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Way } from './states.tsx'

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

/** What pages show whose address names a part of them that is not there. `back` leads to what there is. */
export function MissingLater({ back }: { readonly back?: Way }) {
  return (
    <Suspense>
      <Nothing back={back} />
    </Suspense>
  )
}
