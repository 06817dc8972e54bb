/** What copies, for places that are seldom seen: loaded when it is shown. */
import { lazy, Suspense } from 'react'

const Line = lazy(async () => ({ default: (await import('./copy.tsx')).CommandLine }))

export function CommandLineLater({ text }: { readonly text: string }) {
  return (
    <Suspense>
      <Line text={text} />
    </Suspense>
  )
}
