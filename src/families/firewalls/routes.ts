/** Firewalls through the API. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { after } from '../../kernel/process/at-once.ts'
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

    get({ scope, params }) {
      return after(getFirewallInUse(db.query, scope, params.id), ({ firewall, isApplied }) =>
        isApplied
          ? firewallToWire(db.query, scope, firewall).then((wire) => ({ firewall: wire }))
          : { firewall: toWire(firewall) },
      )
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    setRules: (call) => work.setRules(platform, call),
    applyToResources: (call) => work.apply(platform, call),
    removeFromResources: (call) => work.unapply(platform, call),
  }
}
