/** The sheet, loaded when one is opened. */
import { lazy, Suspense } from 'react'
import type { SheetProps } from './sheet.tsx'

const Sheet = lazy(async () => ({ default: (await import('./sheet.tsx')).Sheet }))

export function SheetLater(props: SheetProps) {
  return (
    <Suspense>
      <Sheet {...props} />
    </Suspense>
  )
}
