/** Firewalls as the API shows them. */
import type { Static } from 'typebox'
import { constantFormOf, written } from '../../kernel/contract/constant.ts'
import type { Queries } from '../../kernel/data/db.ts'
import { KeptItems } from '../../kernel/data/kept.ts'
import { unpack } from '../../kernel/data/steps.ts'
import { type AtOnce, after } from '../../kernel/process/at-once.ts'
import { mapInTurns } from '../../kernel/process/turns.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Application, Coverage } from './applications/domain.ts'
import { coverageOf, pairsOfServers } from './applications/store.ts'
import type { Firewall as Wire } from './contract.ts'
import { filters } from './desired.ts'
import type { Firewall, Rule } from './domain.ts'

type FirewallWire = Static<typeof Wire>
type AppliedResource = FirewallWire['applied_to'][number]

/** The wire form of each firewall, in order. */
export function firewallsToWire(
  query: Queries,
  scope: ProjectScope,
  firewalls: readonly Firewall[],
): AtOnce<readonly FirewallWire[]> {
  const ids = firewalls.map((firewall) => firewall.id)
  return after(coverageOf(query, scope, ids), (coverage) => {
    if (coverage.size === 0) return firewalls.map(shownAlone)
    return mapInTurns(
      firewalls,
      (firewall) => {
        const own = coverage.get(firewall.id)
        return own ? { ...toWire(firewall), applied_to: appliedTo.of(own) } : shownAlone(firewall)
      },
      1,
    )
  })
}

/** Lists get the same firewall again until it changes, so what is shown of it is made once. */
const shownAlone = constantFormOf(toWire)

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

/** What firewalls show of what they are applied to. */
const appliedTo = new KeptItems(coverageToWire, { mostCharacters: 4_000_000 })

function coverageToWire({ targets, selectors, servers, applications }: Coverage): AppliedResource[] {
  const selective = new Map(
    (JSON.parse(selectors) as [number, string][]).map(([id, selector]) => [id, { selector, ids: [] as string[] }]),
  )
  const ids = servers.split(',')
  for (const [index, application] of unpack(applications).entries()) selective.get(application)?.ids.push(ids[index]!)
  const entries = unpack(targets).flatMap((target) => {
    const own = target < 0 ? selective.get(-target) : { serverId: target }
    return own ? entryOf(own) : []
  })
  return written(
    entries.map(({ entry }) => entry),
    `[${entries.map(({ json }) => json).join(',')}]`,
  )
}

/** An entry and its JSON, which is made of ids at once; the list of what a selector matches, when somebody looks into it. */
function entryOf(
  target: { readonly serverId: number } | { readonly selector: string; readonly ids: readonly string[] },
): { readonly entry: AppliedResource; readonly json: string } {
  if ('serverId' in target) {
    const entry = serverToWire(target.serverId)
    return { entry, json: JSON.stringify(entry) }
  }
  const { selector, ids } = target
  const named = targetToWire({ serverId: null, selector })
  const packed = ids.join(',')
  const entry = {
    ...named,
    get applied_to_resources() {
      return unpack(packed).map(serverToWire)
    },
  }
  const servers = ids.map((id) => beforeId + id + afterId).join(',')
  return { entry, json: `${JSON.stringify(named).slice(0, -1)},"applied_to_resources":[${servers}]}` }
}

const serverToWire = (id: number) => ({ type: 'server' as const, server: { id } })
const [beforeId, afterId] = JSON.stringify(serverToWire(0)).split('0') as [string, string]

/** What an application names, without the servers that a selector matches. */
export function targetToWire({ serverId, selector }: Pick<Application, 'serverId' | 'selector'>) {
  if (serverId !== null) return { type: 'server' as const, server: { id: serverId } }
  return { type: 'label_selector' as const, label_selector: { selector: selector as string } }
}

/** The firewalls of some servers with their status, by firewall (spec: Server). */
export function firewallsOfServers(
  query: Queries,
  scope: ProjectScope,
  serverIds: readonly number[],
): AtOnce<readonly FirewallOfServer[]> {
  return after(pairsOfServers(query, scope, serverIds), (pairs) => {
    if (pairs.length === 0) return []
    return after(filters.pending(query, scope, serverIds), (pending) =>
      pairs.map(({ server_id: serverId, firewall_id: id }) => {
        return { serverId, id, status: pending.has(serverId) ? 'pending' : 'applied' }
      }),
    )
  })
}

export interface FirewallOfServer {
  readonly serverId: number
  readonly id: number
  readonly status: 'applied' | 'pending'
}
