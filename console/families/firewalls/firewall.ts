/** The types that the pages of firewalls share, and what a firewall is applied to. */
import type { ItemOf } from '../../api/api.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import type { Server } from '../servers/server.ts'
import { serverIdsOf } from './applied.ts'
import type { Rule } from './rule.ts'
import { firewalls as w } from './words.ts'

export type Firewall = ItemOf<'firewalls_list'>
export type Target = Firewall['applied_to'][number]

export const firewallActs: ActsOptions<Firewall> = {
  family: 'firewalls',
  lost: w.lost,
  losesData: true,
  whyNot: ({ applied_to }) => (applied_to.length > 0 ? w.isApplied : undefined),
}

export function serversUnder(firewall: Pick<Firewall, 'applied_to'>, servers: readonly Server[]): readonly Server[] {
  const ids = new Set(serverIdsOf(firewall))
  return servers.filter(({ id }) => ids.has(id))
}

/** Each network of each rule counts as one effective rule. */
export function effectiveCount(rules: readonly Pick<Rule, 'source_ips' | 'destination_ips'>[]): number {
  return rules.reduce((sum, { source_ips, destination_ips }) => sum + source_ips.length + destination_ips.length, 0)
}
