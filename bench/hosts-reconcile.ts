/** A round of the keeper of hosts over many resources that are as they are wanted, beside a list of them by Incus. */
import { openIncus } from '../src/drivers/incus/open.ts'
import { differencesOf } from '../src/infrastructure/differences.ts'
import type { Database } from '../src/kernel/data/db.ts'
import { runningClock } from '../src/kernel/process/clock.ts'
import { openLog } from '../src/kernel/process/log.ts'
import { clusterOf, onHosts } from '../test/hosts/cluster.ts'
import { call, timed } from './client.ts'
import { command, finish, type HostsBench, inTurns } from './hosts-rounds.ts'
import type { Row } from './report.ts'

/** Makes volumes by the API, and looks for what differs: both engines and the database are read in each round. */
export async function reconcile(bench: HostsBench, open: () => Promise<Database>): Promise<Row> {
  const { lab, url, volumes } = bench
  // One at a time, since Incus makes volumes of one pool so, and more would only wait for each other.
  for (let index = 0; index < volumes; index++) {
    const volume = { name: `v${index}`, size: 10, format: 'ext4', location: onHosts.location }
    await finish(bench, 'POST', '/volumes', volume)
  }
  const [location] = (await call('GET', `${url}/v1/locations?name=${onHosts.location}`)).body.locations
  const place = { locations: new Set([location.id]), networkZones: new Set([location.network_zone]) }
  const parts = { clock: runningClock(), log: openLog('silent'), directory: undefined }
  const hosts = await openIncus(clusterOf(lab), parts)
  const db = await open()
  const round = async () => {
    await hosts.uphold()
    const { differing, orphans } = await differencesOf(db.query, { ...place, survey: () => hosts.survey() })
    if (differing.length > 0) throw new Error(`${differing.length} resources are not as they are wanted`)
    return orphans
  }
  try {
    return await inTurns(
      bench,
      { name: `reconcile of ${volumes} volumes`, note: 'bare: incus storage volume list' },
      () => timed(round),
      () => timed(() => command(bench, 'incus', 'storage', 'volume', 'list', lab.names.pool, '--format', 'json')),
    )
  } finally {
    await db.close()
    await hosts.close()
  }
}
