/** One zone: its records, or its settings. */
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { linkTo } from '../../families.ts'
import { MissingLater } from '../../shell/states-later.tsx'
import { PendingPage } from '../../ui/skeleton.tsx'
import { Records } from './records.tsx'
import { useZone } from './zone.ts'

const ZoneSettings = lazy(async () => ({ default: (await import('./settings.tsx')).ZoneSettings }))

export function ZonePage() {
  const { tab } = useParams({ strict: false }) as { readonly tab?: string }
  const { zone } = useZone()
  if (tab === undefined) return <Records zone={zone} />
  if (tab === 'settings')
    return (
      <Suspense fallback={<PendingPage />}>
        <ZoneSettings zone={zone} />
      </Suspense>
    )
  const link = linkTo('zones', 'one', { zone: zone.name })
  return <MissingLater back={{ label: zone.name, link }} />
}
