/** Zones for tests of the name server. */
import type { World } from '../kit/harness.ts'
import { expect } from '../kit/resources.ts'

export const rrset = (name: string, type: string, ...values: string[]) => ({
  name,
  type,
  records: values.map((value) => ({ value })),
})

/** Makes the zone example.com unless `more` gives it another name; its id. */
export async function makeZone({ api }: Pick<World, 'api'>, rrsets: object[] = [], more: object = {}): Promise<number> {
  return expect(await api.post('/zones', { name: 'example.com', mode: 'primary', rrsets, ...more }), 201).body.zone.id
}
