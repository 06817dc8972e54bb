/** One zone: its records, or its settings. */
import { useParams } from '@tanstack/react-router'
import { Records } from './records.tsx'
import { ZoneSettings } from './settings.tsx'
import { useZone } from './zone.ts'

export function ZonePage() {
  const { tab } = useParams({ strict: false }) as { readonly tab?: string }
  const { zone } = useZone()
  return tab === 'settings' ? <ZoneSettings zone={zone} /> : <Records zone={zone} />
}
