/** Commands to copy, for places that are seldom seen: loaded when they are shown. */
import { lazy, Suspense } from 'react'

const Command = lazy(async () => ({ default: (await import('./pointed.tsx')).PointedCommand }))
const Endpoints = lazy(async () => ({ default: (await import('./pointed.tsx')).Endpoints }))

export function CommandLineLater({ text }: { readonly text: string }) {
  return (
    <Suspense>
      <Command text={text} />
    </Suspense>
  )
}

export function EndpointsLater() {
  return (
    <Suspense>
      <Endpoints />
    </Suspense>
  )
}
