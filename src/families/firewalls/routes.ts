/** Firewalls through the API. */
import { constant } from '../../kernel/contract/constant.ts'
import type { Handlers } from '../../kernel/contract/contract.ts'
import { KeptItems } from '../../kernel/data/kept.ts'
import { after } from '../../kernel/process/at-once.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import type { firewallEndpoints } from './contract.ts'
import { firewallRow, firewalls, fromRow } from './store.ts'
import type { FirewallRow } from './tables.ts'
import { firewallsToWire, firewallToWire, toWire } from './view.ts'
import * as work from './work.ts'

/** One handler for each endpoint. */
export function firewallRoutes(platform: Platform): Handlers<typeof firewallEndpoints> {
  const { db } = platform
  // Most firewalls are applied to nothing, so that their row is all that they show.
  const unapplied = new KeptItems((row: FirewallRow) => constant({ firewall: toWire(fromRow(row)) }))
  const applied = async (scope: ProjectScope, row: FirewallRow) => ({
    firewall: await firewallToWire(db.query, scope, fromRow(row)),
  })
  return {
    ...resourceRoutes(platform, firewalls, (some, query, { scope }) => firewallsToWire(query, scope, some)),

    get({ scope, params }) {
      return after(firewallRow(db.query, scope, params.id), (row) =>
        row.is_applied ? applied(scope, row) : unapplied.of(row),
      )
    },

    create: (call) => work.create(platform, call),
    remove: (call) => work.remove(platform, call),
    setRules: (call) => work.setRules(platform, call),
    applyToResources: (call) => work.apply(platform, call),
    removeFromResources: (call) => work.unapply(platform, call),
  }
}
