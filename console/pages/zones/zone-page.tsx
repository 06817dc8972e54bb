/** One zone: its records, or its settings. */
import { useParams } from '@tanstack/react-router'
import { MissingLater } from '../../shell/states-later.tsx'
import { Records } from './records.tsx'
import { ZoneSettings } from './settings.tsx'
import { useZone } from './zone.ts'

export function ZonePage() {
  const { project = '', tab } = useParams({ strict: false }) as { readonly project?: string; readonly tab?: string }
  const { zone } = useZone()
  if (tab === undefined) return <Records zone={zone} />
  if (tab === 'settings') return <ZoneSettings zone={zone} />
  const link = { to: '/projects/$project/zones/$zone/{-$tab}', params: { project, zone: zone.name } } as const
  return <MissingLater back={{ label: zone.name, link }} />
}
