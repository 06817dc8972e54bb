import assert from 'node:assert/strict'
import type { World } from '../../../../test/kit/harness.ts'
import { agree, type Consistency, type Shown, type Snapshot } from '../../../../test/kit/proof.ts'
import { matches, parseSelector, type Selector } from '../../../kernel/contract/selectors.ts'
import { type Filter, type Rule, toFilter } from '../domain.ts'

function isMatch(selector: string, labels: string): boolean {
  const result = parseSelector(selector)
  assert.ok(result.ok)
  return matches((result as { selector: Selector }).selector, JSON.parse(labels))
}

/** Matches are recomputed from the labels: they must say the same, each server once a firewall. */
async function checkMatches(found: Snapshot): Promise<void> {
  const servers = await found.all('server')
  const applications = await found.all('firewall_application')
  const rows = await found.all('firewall_match')
  const wanted = new Set<string>()
  for (const { firewall_id, selector, project_id } of applications) {
    for (const { id, labels, project_id: owner } of servers) {
      if (selector === null || owner !== project_id) continue
      if (isMatch(selector, labels)) wanted.add(`${firewall_id} ${id}`)
    }
  }
  const actual = rows.map(({ firewall_id, server_id }) => `${firewall_id} ${server_id}`).sort()
  assert.deepEqual(actual, [...wanted].sort(), 'matches follow the labels')
  for (const { application_id, firewall_id, server_id } of rows) {
    const application = applications.find((one) => one.id === application_id)
    assert.equal(application?.firewall_id, firewall_id, 'I10: a match counts for a selector of its firewall')
    const { labels } = servers.find((server) => server.id === server_id)!
    assert.ok(isMatch(application!.selector!, labels), 'a match counts for a selector that holds')
  }
}

/** A filter as its rules add up: their order means nothing. */
function inOrder({ inbound, outbound }: Filter): unknown {
  const sorted = ({ otherwise, accept }: Filter['inbound']) => ({
    otherwise,
    accept: accept.map(({ protocol, ports, networks }) => JSON.stringify([protocol, ports, networks])).sort(),
  })
  return { inbound: sorted(inbound), outbound: sorted(outbound) }
}

/** I7: each server has in force what its firewalls add up to, and no more firewalls than it may. */
async function checkFilters(found: Snapshot, { simulation }: World, pendingToo: boolean): Promise<void> {
  const rows = [...(await found.all('firewall_application')), ...(await found.all('firewall_match'))]
  const [filters, firewalls] = [await found.all('firewall_filter'), await found.all('firewall')]
  for (const { id } of await found.all('server')) {
    const ids = new Set(rows.filter((row) => row.server_id === id).map((row) => row.firewall_id))
    assert.ok(ids.size <= 5, `server ${id} has ${ids.size} firewalls`)
    const filter = filters.find((row) => row.id === id)
    if (ids.size > 0) assert.ok(filter, `server ${id} has a filter`)
    if (filter && filter.generation_in_force < filter.generation && !pendingToo) continue
    const its = firewalls.filter((firewall) => ids.has(firewall.id))
    const wanted = toFilter(its.map((firewall) => ({ rules: JSON.parse(firewall.rules) as Rule[] })))
    const inForce = simulation.world.filters.get(id) ?? toFilter([])
    assert.deepEqual(inOrder(inForce), inOrder(wanted), `I7: the filter of server ${id} is in force`)
  }
}

export const consistency: Consistency = {
  resources: 'firewall',
  belongs: [
    ['firewall_application', 'server_id', 'server'],
    ['firewall_application', 'firewall_id', 'firewall'],
    ['firewall_match', 'server_id', 'server'],
    ['firewall_match', 'firewall_id', 'firewall'],
    ['firewall_filter', 'id', 'server'],
  ],
  rows: checkMatches,
  async world(found, world, { pendingToo = false }) {
    const servers = new Set<number>((await found.all('server')).map(({ id }) => id))
    for (const id of world.simulation.world.filters.keys()) assert.ok(servers.has(id), `I10: filter of no server ${id}`)
    await checkFilters(found, world, pendingToo)
  },
  shown: (api) =>
    agree(
      api,
      ['servers', ({ public_net }) => public_net.firewalls.map(({ id }: Shown) => id)],
      ['firewalls', ({ id, applied_to }) => serversOf(id, applied_to)],
    ),
}

interface AppliedTo {
  readonly server?: { readonly id: number }
  readonly applied_to_resources?: readonly AppliedTo[]
}

function serversOf(firewall: number, entries: readonly AppliedTo[]): number[] {
  const selected = entries.flatMap((entry) => entry.applied_to_resources ?? []).map((one) => one.server!.id)
  assert.equal(new Set(selected).size, selected.length, `firewall ${firewall} shows a server under one selector`)
  return [...new Set([...selected, ...entries.flatMap(({ server }) => server?.id ?? [])])]
}
