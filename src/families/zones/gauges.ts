/** The gauges of secondary zones: when their primaries were heard last. */
import { defineGauges } from '../../kernel/process/gauges.ts'
import type { FamilyWorld } from '../../platform.ts'
import { secondaryAges } from './host.ts'

export const zoneGauges = defineGauges(
  'zones',
  {
    wolke_secondary_zones: {
      help: 'Secondary zones: those that are served (fresh), expired since (stale), and never transferred.',
      labels: ['state'],
    },
    wolke_secondary_zone_age_seconds: {
      help: 'Time since a primary of the zone was heard for which that is longest ago, among those that are served.',
    },
  },
  async ({ platform: { db, clock } }: FamilyWorld) => {
    const { fresh, stale, never, oldest } = await secondaryAges(db.query)
    const states = Object.entries({ fresh, stale, never })
    const age = oldest === null ? 0 : Math.max(0, (clock.now() - oldest) / 1_000)
    return {
      wolke_secondary_zones: states.map(([state, value]) => ({ labels: { state }, value })),
      wolke_secondary_zone_age_seconds: [{ value: age }],
    }
  },
)
