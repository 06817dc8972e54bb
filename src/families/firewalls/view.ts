/** Firewalls as the API shows them. */
import type { Static } from 'typebox'
import { constant } from '../../kernel/contract/constant.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Application, ResolvedApplication } from './applications/domain.ts'
import { pairsOfServers, resolvedApplicationsOf } from './applications/store.ts'
import type { Firewall as Wire } from './contract.ts'
import { filters } from './desired.ts'
import type { Firewall, Rule } from './domain.ts'

type FirewallWire = Static<typeof Wire>
type AppliedResource = FirewallWire['applied_to'][number]

/** The wire form of each firewall, in order. */
export async function firewallsToWire(
  query: Queries,
  scope: ProjectScope,
  firewalls: readonly Firewall[],
): Promise<FirewallWire[]> {
  const applications = await resolvedApplicationsOf(
    query,
    scope,
    firewalls.map((firewall) => firewall.id),
  )
  const byFirewall = Map.groupBy(applications, (application) => application.firewallId)
  return mapInTurns(firewalls, (firewall) => {
    const applied = byFirewall.get(firewall.id)
    return applied ? appliedToWire(firewall, applied) : shownAlone(firewall)
  })
}

/** Lists get the same firewall again until it changes, so what is shown of it is made once. */
const shown = new WeakMap<Firewall, FirewallWire>()

function shownAlone(firewall: Firewall): FirewallWire {
  const known = shown.get(firewall) ?? constant(toWire(firewall))
  shown.set(firewall, known)
  return known
}

async function appliedToWire(firewall: Firewall, applications: readonly ResolvedApplication[]): Promise<FirewallWire> {
  return { ...toWire(firewall), applied_to: await mapInTurns(applications, applicationToWire) }
}

/** The wire form of a firewall that is applied to nothing. */
export function toWire(firewall: Firewall): FirewallWire {
  return {
    id: firewall.id,
    name: firewall.name,
    labels: firewall.labels,
    created: firewall.created,
    rules: firewall.rules.map(ruleToWire),
    applied_to: [],
  }
}

/** One firewall's wire form. */
export async function firewallToWire(query: Queries, scope: ProjectScope, firewall: Firewall): Promise<FirewallWire> {
  return (await firewallsToWire(query, scope, [firewall]))[0]!
}

function ruleToWire({ direction, protocol, port, sourceIps, destinationIps, description }: Rule) {
  return {
    direction,
    protocol,
    port,
    source_ips: [...sourceIps],
    destination_ips: [...destinationIps],
    description,
  }
}

function applicationToWire(application: ResolvedApplication): AtOnce<AppliedResource> {
  const target = targetToWire(application)
  if (target.type === 'server') return target
  return after(mapInTurns(application.matched, serverToWire), (servers) => ({
    ...target,
    applied_to_resources: servers,
  }))
}

const serverToWire = (id: number) => ({ type: 'server' as const, server: { id } })

/** What an application names, without the servers that a selector matches. */
export function targetToWire({ serverId, selector }: Application) {
  if (serverId !== null) return { type: 'server' as const, server: { id: serverId } }
  return { type: 'label_selector' as const, label_selector: { selector: selector as string } }
}

/** The firewalls of each server with their status (spec: Server). */
export async function firewallsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): Promise<Map<number, { readonly id: number; readonly status: 'applied' | 'pending' }[]>> {
  const pairs = await pairsOfServers(query, scope, serverIds)
  const pending = pairs.length === 0 ? new Set<number>() : await filters.pending(query, scope, serverIds)
  const byServer = Map.groupBy(pairs, (pair) => pair.server_id)
  return new Map(
    [...byServer].map(([serverId, firewalls]) => {
      const status = pending.has(serverId) ? 'pending' : 'applied'
      return [serverId, firewalls.map(({ firewall_id: id }) => ({ id, status }) as const)]
    }),
  )
}
