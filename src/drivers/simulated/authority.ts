/** A certificate authority in memory that challenges for every domain, in front of real certificates. */
import { createHash } from 'node:crypto'
import type { AuthorityDriver } from '../../families/certificates/driver.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { embeddedCa } from '../embedded-ca/authority.ts'

/** Does an effect for a certificate the way it was ordered to. */
export type PerformFor = (
  method: 'order' | 'validate' | 'issue',
  certificateId: number,
  effect: () => void,
) => Promise<void>

/** Makes the authority; it does not look whether its challenges were met. */
export function simulateAuthority(perform: PerformFor, clock: Clock): AuthorityDriver {
  const authority = embeddedCa({ clock, identity: 'ca.example', keep: (make) => make() })
  let orders = 0
  const nothing = () => undefined
  const challengeOf = (url: string, domain: string) => ({
    domain: domain.replace(/^\*\./, ''),
    value: createHash('sha256').update(`${url} ${domain}`).digest('base64url'),
  })
  return {
    ...authority,
    async order({ certificateId, domains }) {
      let url = ''
      await perform('order', certificateId, () => {
        url = `simulated:${++orders}`
      })
      return { url, challenges: domains.map((domain) => challengeOf(url, domain)) }
    },
    validate: ({ certificateId }) => perform('validate', certificateId, nothing),
    async issue(order, request) {
      await perform('issue', order.certificateId, nothing)
      return authority.issue(order, request)
    },
  }
}
