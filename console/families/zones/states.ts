/** Zones need somebody whose primary servers do not answer, or whose delegation is wrong. */
import { linkTo } from '../../families.ts'
import { type Need, type States, withKind } from '../../pages/shared/states.ts'
import { overview as w } from '../../words/overview.ts'
import { delegationOf, type Zone } from './zone.ts'

/** Copies whose primaries were not heard for too long, and delegations that lead elsewhere or nowhere. */
function ofZone(zone: Zone): Need[] {
  const { name, status } = zone
  const { mood, text, advice } = delegationOf(zone)
  const link = linkTo('zones', 'one', { zone: name, tab: 'settings' })
  const key = `zone ${zone.id}`
  return [
    ...(status === 'error'
      ? [{ key, mood: 'bad', title: w.zoneStale(name), text: withKind('zones', w.zoneStaleText), link } as const]
      : []),
    ...(mood === 'bad' || mood === 'warn'
      ? [{ key: `${key} delegation`, mood, title: `${name}: ${text}`, text: withKind('zones', advice), link }]
      : []),
  ]
}

export const states: States<Zone> = {
  place: 4,
  needsOf: ofZone,
  isSilent: true,
}
