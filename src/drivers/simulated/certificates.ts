/**
 * A simulated ACME authority that issues real certificates and requires a challenge for every domain, but does not
 * verify the challenges. Every zone counts as delegated.
 */
import { createHash } from 'node:crypto'
import type { AuthorityDriver } from '../../families/certificates/managed/driver.ts'
import { embeddedCa } from '../embedded-ca/authority.ts'
import { uncheckedDelegation } from '../resolver/unchecked.ts'
import type { Site } from './simulation.ts'

/** Creates the authority and the delegation driver. */
export function simulateCertificates({ clock, keep, perform }: Site) {
  const embedded = embeddedCa({ clock, identity: 'ca.example', keep: (make) => make() })
  const orders = keep<{ made: number }>('orders', {
    fresh: () => ({ made: 0 }),
    copy: ({ made }) => ({ made }),
    // Numbers of orders are not given out again.
    forget: () => undefined,
    save: ({ made }) => made,
    load(made) {
      if (Number.isSafeInteger(made)) return { made: made as number }
      throw new TypeError('not a number of orders')
    },
  })
  const nothing = () => undefined
  const challengeOf = (url: string, domain: string) => ({
    domain: domain.replace(/^\*\./, ''),
    value: createHash('sha256').update(`${url} ${domain}`).digest('base64url'),
  })
  const authority: AuthorityDriver = {
    ...embedded,
    async order({ certificateId, domains }) {
      let url = ''
      await perform({ driver: 'authority', method: 'order', subject: certificateId }, () => {
        url = `simulated:${++orders.made}`
      })
      return { url, challenges: domains.map((domain) => challengeOf(url, domain)) }
    },
    validate: ({ certificateId }) =>
      perform({ driver: 'authority', method: 'validate', subject: certificateId }, nothing),
    async issue(order, request) {
      await perform({ driver: 'authority', method: 'issue', subject: order.certificateId }, nothing)
      return embedded.issue(order, request)
    },
  }
  return {
    drivers: { authority, delegation: uncheckedDelegation },
    world: {},
    certain: ['authority.caaIdentities', 'authority.root', 'delegation.isDelegated', 'delegation.awaitChallenge'],
  }
}
