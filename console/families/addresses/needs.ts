/** Addresses that are blocked need somebody. */
import { type Family, pageOf } from '../../families.ts'
import type { Need } from '../../pages/shared/states.ts'
import { overview as w } from '../../words/overview.ts'
import type { FloatingIp } from './address.ts'

export function needsOfAddress(
  family: Family,
  { id, name, ip, blocked }: Pick<FloatingIp, 'id' | 'name' | 'ip' | 'blocked'>,
): readonly Need[] {
  if (!blocked) return []
  const link = pageOf(family, { id, name })
  return [{ key: `${family} ${id}`, mood: 'bad', title: w.blocked(name), text: ip, link }]
}
