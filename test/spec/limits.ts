/** Rows of the spec's table of limits, as data (spec: Limits). What is tried on both sides of each is in spec.test.ts. */

export const limitRows = [
  { limit: 'Request rate', value: 3_600 },
  { limit: 'Rate-limit headers', value: ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'] },
  { limit: 'per_page', value: { fallback: 25, most: 50 } },
  { limit: 'page', value: 1 },
  { limit: 'Label name / value', value: { name: 63, prefix: 253 } },
  { limit: 'Firewall rules', value: 50 },
  { limit: 'Certificate private key', value: 5_000 },
  { limit: 'Certificate chain', value: { certificates: 5, bytes: 30_000 } },
  { limit: 'Certificate key sizes', value: { rsa: [2_048, 3_072, 4_096], ecdsa: [256, 384] } },
  { limit: 'Action history', value: 90 },
] as const

export type LimitName = (typeof limitRows)[number]['limit']
