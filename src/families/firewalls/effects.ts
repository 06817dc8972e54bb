/** What other families may change about firewalls inside their transaction. */
import type { ActionStart } from '../../kernel/actions/store.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { Transaction } from '../../kernel/data/db.ts'
import type { ApiError } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { applyFirewall, startFilterChange } from './actions.ts'
import { filters } from './desired.ts'
import { checkFirewallLimit, insertApplication } from './membership.ts'
import { holdFirewalls } from './store.ts'
import { rematchServer } from './targets.ts'

export { filters } from './desired.ts'
export { forgetServer } from './membership.ts'
export { rematchServer } from './targets.ts'

/** Holds the firewalls that a new server is to be behind. Errors: what `unknown` makes of the index of a missing one. */
export async function holdAsked(
  tx: Transaction,
  scope: ProjectScope,
  firewallIds: readonly number[],
  unknown: (index: number) => ApiError,
): Promise<void> {
  const held = await holdFirewalls(tx, scope, firewallIds)
  const missing = firewallIds.findIndex((id) => !held.has(id))
  if (missing !== -1) throw unknown(missing)
}

/**
 * Puts a new server behind the firewalls that were asked for, which the transaction holds, and those whose selectors match
 * it; the transaction holds the Project too. Returns the actions to start. Errors: `resource_limit_exceeded`.
 */
export async function attachNewServer(
  tx: Transaction,
  scope: ProjectScope,
  server: { readonly id: number; readonly labels: Labels },
  firewallIds: readonly number[],
): Promise<ActionStart[]> {
  const ids = [...new Set(firewallIds)]
  const starts: ActionStart[] = []
  for (const firewallId of ids) {
    await insertApplication(tx, scope, firewallId, { serverId: server.id })
    // A failure does not take it back: a server that was asked for behind a firewall never runs without it.
    starts.push(startFilterChange(applyFirewall, { firewallId, serverId: server.id }))
  }
  const matched = await rematchServer(tx, scope, server)
  if (ids.length > 0) await filters.renew(tx, scope, [server.id])
  await checkFirewallLimit(tx, scope, [server.id])
  return [...starts, ...matched]
}
