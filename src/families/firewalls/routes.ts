/** Firewalls through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { Platform } from '../../platform.ts'
import type { firewallEndpoints } from './contract.ts'
import { firewalls, getFirewallInUse } from './store.ts'
import { firewallsToWire, firewallToWire, toWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function firewallRoutes(platform: Platform): Handlers<typeof firewallEndpoints> {
  const { db } = platform
  return {
    ...resourceRoutes(platform, firewalls, (some, query, { scope }) => firewallsToWire(query, scope, some)),

    async get({ scope, params }) {
      const { firewall, isApplied } = await getFirewallInUse(db.query, scope, params.id)
      return { firewall: isApplied ? await firewallToWire(db.query, scope, firewall) : toWire(firewall) }
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    setRules: (call) => work.setRules(platform, call),
    applyToResources: (call) => work.apply(platform, call),
    removeFromResources: (call) => work.unapply(platform, call),
  }
}
