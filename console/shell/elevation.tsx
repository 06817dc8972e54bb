/** Asks who one is while a call waits for it. The dialog is loaded when it is needed. */
import { lazy, Suspense, useEffect } from 'react'
import { waitingForProof } from '../api/proof.ts'
import { useStore } from '../lib/store.ts'
import { showOnTop } from '../ui/top-slot.tsx'

const ElevationDialog = lazy(async () => ({ default: (await import('./elevation-dialog.tsx')).ElevationDialog }))

export function Elevation() {
  const isAsked = useStore(waitingForProof).length > 0
  useEffect(() => {
    if (!isAsked) return
    return showOnTop(
      <Suspense>
        <ElevationDialog />
      </Suspense>,
    )
  }, [isAsked])
  return null
}
