/** Firewalls are applied to servers and label selectors and removed from them, and follow the labels of servers. */
import type { ActionStart } from '../../../kernel/actions/store.ts'
import { inEffect } from '../../../kernel/contract/changes.ts'
import type { Labels } from '../../../kernel/contract/labels.ts'
import { matches, storedSelector } from '../../../kernel/contract/selectors.ts'
import type { Queries, Transaction } from '../../../kernel/data/db.ts'
import { ApiError, limitExceeded } from '../../../kernel/errors.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import { primaryIpsOfServers } from '../../primary-ips/reads.ts'
import { holdServers, serversByIds, serversMatching } from '../../servers/reads.ts'
import { applyFirewall, removeFirewall, startFilterChange, startSelectorChange } from '../actions.ts'
import { firewallChanges } from '../changes.ts'
import { filters } from '../desired.ts'
import { maxFirewallsOfServer } from '../domain.ts'
import { type Application, keyOfApplication, keyOfTarget, serversAmong, type Target } from './domain.ts'
import {
  applicationsOf,
  deleteApplication,
  directFirewalls,
  dropMatches,
  insertApplication,
  matchedServers,
  matchesOfServer,
  pairsOfServers,
  putMatches,
  selectors,
} from './store.ts'

/** Codes that differ between creating a firewall and applying an existing one. */
export interface ApplyCodes {
  /** The refusal of a target that the request repeats or the firewall has. */
  readonly again: (target: Target) => ApiError
  /** HTTP status of `firewall_resource_not_found` (spec: Call-specific codes). */
  readonly missingStatus: number
}

/** Since July 2025 the refusal has a code of its own, and with it the status of the operation. */
function missing(tx: Transaction, message: string, status = 404): ApiError {
  if (!inEffect(firewallChanges.firewall_not_found_code, tx.now)) return new ApiError('not_found', message)
  return new ApiError('firewall_resource_not_found', message, { status })
}

/**
 * Adds targets to a firewall. The transaction has locked the Project and then the firewall. Returns the actions to start.
 * Errors: `firewall_resource_not_found`, `incompatible_network_type`, `resource_limit_exceeded`, and those of `codes`.
 */
export async function applyTargets(
  tx: Transaction,
  scope: ProjectScope,
  firewallId: number,
  targets: readonly Target[],
  codes: ApplyCodes,
): Promise<ActionStart[]> {
  if (targets.length === 0) return []
  const known = await holdServers(tx, scope, serversAmong(targets))
  const applications = await applicationsOf(tx.query, scope, [firewallId])
  await checkTargets(tx, scope, targets, codes, { known, taken: new Set(applications.map(keyOfApplication)) })
  const hasSelectors = targets.some((target) => 'selector' in target)
  const matched = new Set(hasSelectors ? await matchedServers(tx.query, scope, firewallId) : [])
  const has = new Set([...matched, ...applications.flatMap(({ serverId }) => serverId ?? [])])
  const starts: ActionStart[] = []
  const affected: number[] = []
  for (const target of targets) {
    const application = await insertApplication(tx, scope, firewallId, target)
    if ('serverId' in target) {
      const { serverId } = target
      starts.push(startFilterChange(applyFirewall, { firewallId, serverId, application }))
      affected.push(serverId)
      has.add(serverId)
      continue
    }
    const matching = await serversMatching(tx.query, scope, target.selector)
    const found = matching.map(({ id }) => id).filter((id) => !matched.has(id))
    await putMatches(tx, scope, { firewallId, applicationId: application }, found)
    const added = found.filter((id) => !has.has(id))
    for (const serverId of added) {
      starts.push(startFilterChange(applyFirewall, { firewallId, serverId, selectorId: application }))
    }
    if (added.length === 0) starts.push(startSelectorChange(applyFirewall, firewallId, application))
    affected.push(...added)
    for (const id of found) matched.add(id)
    for (const id of added) has.add(id)
  }
  await filters.renew(tx, scope, affected)
  await checkFirewallLimit(tx, scope, affected)
  return starts
}

async function checkTargets(
  tx: Transaction,
  scope: ProjectScope,
  targets: readonly Target[],
  codes: ApplyCodes,
  { known, taken }: { known: ReadonlySet<number>; taken: Set<string> },
): Promise<void> {
  const reachable = await publicServers(tx.query, scope, serversAmong(targets))
  for (const target of targets) {
    if ('serverId' in target) {
      if (!known.has(target.serverId)) {
        throw missing(tx, `server with ID '${target.serverId}' not found`, codes.missingStatus)
      }
      if (!reachable.has(target.serverId)) {
        throw new ApiError('incompatible_network_type', 'the server has no public network interface')
      }
    }
    const key = keyOfTarget(target)
    if (taken.has(key)) throw codes.again(target)
    taken.add(key)
  }
}

async function publicServers(query: Queries, scope: ProjectScope, ids: readonly number[]): Promise<Set<number | null>> {
  return new Set((await primaryIpsOfServers(query, scope, ids)).map((ip) => ip.serverId))
}

/**
 * Removes targets from a firewall. The transaction has locked the Project and then the firewall. Returns the actions to start.
 * Errors: `firewall_resource_not_found`, `firewall_managed_by_label_selector`.
 */
export async function removeTargets(
  tx: Transaction,
  scope: ProjectScope,
  firewallId: number,
  targets: readonly Target[],
): Promise<ActionStart[]> {
  if (targets.length === 0) return []
  // Deleting a server deletes its applications, so servers are locked before applications are read.
  await holdServers(tx, scope, serversAmong(targets))
  const starts: ActionStart[] = []
  const affected: number[] = []
  const gone: number[] = []
  const all = await applicationsOf(tx.query, scope, [firewallId])
  for (const target of targets) {
    const applications = all.filter(({ id }) => !gone.includes(id))
    const found = applications.find((application) => keyOfApplication(application) === keyOfTarget(target))
    if (!found) throw await notApplied(tx, scope, firewallId, target)
    gone.push(found.id)
    if (found.serverId !== null) {
      affected.push(found.serverId)
      starts.push(startFilterChange(removeFirewall, { firewallId, serverId: found.serverId }))
      continue
    }
    const freed = await removeSelector(tx, scope, found, applications)
    for (const serverId of freed) {
      starts.push(startFilterChange(removeFirewall, { firewallId, serverId, selectorId: found.id }))
    }
    if (freed.length === 0) starts.push(startSelectorChange(removeFirewall, firewallId, found.id))
    affected.push(...freed)
  }
  for (const id of gone.sort((a, b) => a - b)) await deleteApplication(tx, scope, id)
  await filters.renew(tx, scope, affected)
  return starts
}

async function notApplied(tx: Transaction, scope: ProjectScope, firewallId: number, target: Target): Promise<ApiError> {
  if ('selector' in target) return missing(tx, 'the firewall is not applied to this label selector')
  const { serverId } = target
  if ((await matchesOfServer(tx.query, scope, serverId)).has(firewallId)) {
    return new ApiError(
      'firewall_managed_by_label_selector',
      `server with ID '${serverId}' has the firewall through a label selector`,
    )
  }
  return missing(tx, `the firewall is not applied to server with ID '${serverId}'`)
}

/**
 * Hands the servers of a selector to another selector of the firewall that matches them; the others lose the firewall.
 * Returns those that no longer have it.
 */
async function removeSelector(
  tx: Transaction,
  scope: ProjectScope,
  gone: Application,
  applications: readonly Application[],
): Promise<number[]> {
  const { firewallId } = gone
  const others = applications.filter(({ id, selector }) => id !== gone.id && selector !== null)
  const direct = new Set(applications.map(({ serverId }) => serverId))
  const lost: number[] = []
  const matched = await matchedServers(tx.query, scope, firewallId, gone.id)
  for (const server of await serversByIds(tx.query, scope, matched)) {
    const heir = others.find(({ selector }) => matches(storedSelector(selector as string), server.labels))
    if (heir) await putMatches(tx, scope, { firewallId, applicationId: heir.id }, [server.id])
    else lost.push(server.id)
  }
  await dropMatches(tx, scope, firewallId, lost)
  return lost.filter((id) => !direct.has(id))
}

/**
 * Updates the matches of a server that is new or has new labels; `before` are those that it has. Selectors match servers
 * without a public address too, so that one that gets an address later is behind its firewalls from the first packet. The
 * transaction has locked the Project and then the server. Returns the actions to start. Errors: `resource_limit_exceeded`.
 */
export async function rematchServer(
  tx: Transaction,
  scope: ProjectScope,
  server: { readonly id: number; readonly labels: Labels },
  before: ReadonlyMap<number, number>,
): Promise<ActionStart[]> {
  const matching = await selectors.matching(tx.query, scope, server.labels)
  if (matching.length + before.size === 0) return []
  const after = new Map<number, number>()
  for (const { id, firewall_id } of matching) {
    if (!after.has(firewall_id)) after.set(firewall_id, id)
  }
  const direct = await directFirewalls(tx.query, scope, server.id)
  const starts: ActionStart[] = []
  for (const [firewallId, applicationId] of after) {
    if (before.get(firewallId) === applicationId) continue
    await putMatches(tx, scope, { firewallId, applicationId }, [server.id])
    if (before.has(firewallId) || direct.has(firewallId)) continue
    starts.push(startFilterChange(applyFirewall, { firewallId, serverId: server.id, selectorId: applicationId }))
  }
  for (const [firewallId, applicationId] of before) {
    if (after.has(firewallId)) continue
    await dropMatches(tx, scope, firewallId, [server.id])
    if (direct.has(firewallId)) continue
    starts.push(startFilterChange(removeFirewall, { firewallId, serverId: server.id, selectorId: applicationId }))
  }
  if (starts.length > 0) await filters.renew(tx, scope, [server.id])
  await checkFirewallLimit(tx, scope, [server.id])
  return starts
}

/** Errors: `resource_limit_exceeded` when a server now has more firewalls than it may. */
export async function checkFirewallLimit(
  tx: Transaction,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<void> {
  const pairs = await pairsOfServers(tx.query, scope, serverIds)
  const counts = Map.groupBy(pairs, (pair) => pair.server_id)
  for (const [serverId, firewalls] of counts) {
    if (firewalls.length <= maxFirewallsOfServer) continue
    const message = `server with ID '${serverId}' cannot have more than ${maxFirewallsOfServer} firewalls`
    throw limitExceeded('firewalls_per_server', message)
  }
}
