import { useParams } from '@tanstack/react-router'
import { type ItemOf, useApi } from '../../api/api.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { useOne } from '../../shell/gone.tsx'
import type { Mood } from '../../ui/state.tsx'
import { zones as w } from './words.ts'

export type Zone = ItemOf<'zones_list'>
export type Rrset = ItemOf<'zones_listRrsets'>

/** The name or the id of the zone in the address. */
function useZoneParam(): string {
  return (useParams({ strict: false }) as { readonly zone: string }).zone
}

/** The zone of the page. */
export function useZone(): { readonly zone: Zone; readonly isGone: boolean } {
  const api = useApi()
  const zone = useZoneParam()
  const { data, isGone } = useOne(api.query('zones_get', { params: { id_or_name: zone } }))
  return { zone: data.zone, isGone }
}

const moods: Readonly<Record<Zone['authoritative_nameservers']['delegation_status'], Mood>> = {
  valid: 'ok',
  'partially-valid': 'warn',
  invalid: 'bad',
  lame: 'bad',
  unregistered: 'warn',
  unknown: 'unknown',
}

/** Returns what the check of the delegation found, as the API tells it. */
export function delegationOf({ authoritative_nameservers: { delegation_status: status } }: Zone) {
  return { mood: moods[status], text: w.delegation[status], advice: w.delegationAdvice[status] }
}

export const zoneActs: ActsOptions<Zone> = {
  family: 'zones',
  lost: ({ record_count: count }) => w.deleteText(count),
  deleteAct: w.deleteAct,
  losesData: true,
}

/** A length of time as zone files write it: `1h`, `5m`, `90s`. */
export function ttlText(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const
  const [unit, size] = units.find(([, one]) => seconds % one === 0) ?? (['s', 1] as const)
  return `${seconds / size} ${unit}`
}
