/** A round of the reconciler of hosts over many resources that are as they are wanted, beside a list of them by Incus. */
import { openIncus } from '../src/drivers/hosts/open.ts'
import { publicBase } from '../src/kernel/contract/bases.ts'
import type { Database } from '../src/kernel/data/db.ts'
import { runningClock } from '../src/kernel/process/clock.ts'
import { openLog } from '../src/kernel/process/log.ts'
import { planFor } from '../src/reconcile/plan.ts'
import { clusterOf, onHosts } from '../test/hosts/kit/cluster.ts'
import { call, forAll, timed } from './client.ts'
import { command, finish, type HostsBench, inTurns } from './hosts-rounds.ts'
import { serverNamed } from './hosts-servers.ts'
import type { Row } from './report.ts'

/**
 * Makes servers and Floating IPs that lead to them by the API, and looks for what differs: both engines and the database are
 * read in each round.
 */
export async function reconcile(bench: HostsBench, open: () => Promise<Database>): Promise<Row> {
  const { lab, url, resources } = bench
  const servers = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => (await finish(bench, 'POST', '/servers', serverNamed(name))).server.id),
  )
  const addresses = Array.from({ length: resources - servers.length }, (_, index) => servers[index % servers.length]!)
  await forAll(addresses, (server) => finish(bench, 'POST', '/floating_ips', { type: 'ipv6', server }))
  const [location] = (await call('GET', `${url}${publicBase}/locations?name=${onHosts.location}`)).body.locations
  const place = { locations: new Set([location.id]), networkZones: new Set([location.network_zone]) }
  const parts = { clock: runningClock(), log: openLog('silent'), directory: undefined }
  const hosts = await openIncus(clusterOf(lab), parts)
  const db = await open()
  const round = async () => {
    await hosts.uphold()
    const { differing, orphans } = await planFor(db.query, { ...place, inventory: () => hosts.inventory() })
    if (differing.length > 0) throw new Error(`${differing.length} resources are not as they are wanted`)
    return orphans
  }
  try {
    return await inTurns(
      bench,
      { name: `reconcile of ${resources} resources`, note: 'bare: incus list, ovn-nbctl list of routes' },
      () => timed(round),
      () =>
        timed(async () => {
          await command(bench, 'incus', 'list', '--format', 'json')
          await command(bench, 'ovn-nbctl', '--format=json', 'list', 'Logical_Router_Static_Route')
        }),
    )
  } finally {
    await db.close()
    await hosts.close()
  }
}
