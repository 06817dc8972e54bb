/** The gauges of certificates: how long they last, and which were not issued or renewed. */
import { timestamp } from '../../kernel/process/clock.ts'
import { defineGauges, type Reading } from '../../kernel/process/gauges.ts'
import type { FamilyWorld } from '../../platform.ts'
import { dayMs } from './domain.ts'
import { certificateLives } from './host.ts'

/** Days, and the label of what ends within them and not before. */
const bounds = [
  [0, 'expired'],
  [1, 'within_1_day'],
  [7, 'within_7_days'],
  [30, 'within_30_days'],
  [90, 'within_90_days'],
] as const

export const certificateGauges = defineGauges(
  'certificates',
  {
    wolke_certificates: {
      help: 'Certificates by type and by the days that are left, each counted once.',
      labels: ['type', 'ends'],
    },
    wolke_certificates_failed: {
      help: 'Managed certificates whose issuance or renewal failed last.',
      labels: ['phase'],
    },
  },
  async ({ platform: { db, clock } }: FamilyWorld) => {
    const now = clock.now()
    const lives = await certificateLives(
      db.query,
      bounds.map(([days, ends]) => [timestamp(now + days * dayMs), ends]),
    )
    const failed = (phase: 'issuance' | 'renewal') => lives.reduce((sum, life) => sum + life[phase], 0)
    const counts = lives.map(({ type, ends, count }): Reading => ({ labels: { type, ends }, value: count }))
    return {
      wolke_certificates: counts,
      wolke_certificates_failed: (['issuance', 'renewal'] as const).map((phase) => {
        return { labels: { phase }, value: failed(phase) }
      }),
    }
  },
)
