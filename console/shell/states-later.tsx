/** The states of pages that are seldom seen, loaded soon after the first picture. */
import type { ErrorComponentProps } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { Button } from '../ui/button.tsx'
import { shell } from '../words/shell.ts'
import type { Way } from './states.tsx'

const w = shell.states

const load = () => import('./states.tsx')
/** A state of pages, or else what can always be shown. */
const lazily = <Props,>(pick: (states: Awaited<ReturnType<typeof load>>) => ComponentType<Props>) =>
  lazy(async () => ({ default: await load().then(pick, (): ComponentType<Props> => Unloaded) }))
const Failure = lazily<ErrorComponentProps>(({ PageFailure }) => PageFailure)
const Nothing = lazily<{ readonly back?: Way | undefined }>(({ Missing }) => Missing)

/** The page for when not even the states load, such as without a network. */
function Unloaded() {
  return (
    <main>
      <h1>{w.failed}</h1>
      <Button icon="refresh" onClick={() => window.location.reload()}>
        {w.again}
      </Button>
    </main>
  )
}

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

/** The state of pages whose address names a part of them that is not there. `back` leads to what there is. */
export function MissingLater({ back }: { readonly back?: Way }) {
  return (
    <Suspense>
      <Nothing back={back} />
    </Suspense>
  )
}
