/** Opens the clusters of hosts that the options name, for commands that look at them or bring something onto them. */
import type { Config } from '../config/config.ts'
import { checkHosts } from '../config/hosts.ts'
import { type OpenedCluster, openCluster, placesOf } from '../drivers/infrastructure.ts'
import { runningClock } from '../kernel/process/clock.ts'
import { openLog } from '../kernel/process/log.ts'
import { readClusters } from './clusters.ts'
import { CommandFailure } from './failure.ts'
import { readCatalogue } from './options.ts'

/** Clusters with the names that the options give them, each opened when it is its turn. Errors: `CommandFailure`. */
export async function forEachCluster(
  options: Config,
  work: (open: () => Promise<OpenedCluster>, name: string) => Promise<void>,
) {
  checkHosts(options)
  const [{ locations }, { usual, clusters }] = await Promise.all([
    readCatalogue(options.catalogue),
    readClusters(options),
  ])
  const places = placesOf({ locations, usual, clusters })
  const used = clusters.filter(({ name }) => places.has(name))
  if (used.length === 0) throw new CommandFailure('no location is on hosts: --infrastructure says what runs them', 2)
  const parts = { clock: runningClock(), log: openLog('error'), directory: undefined, isLookedAt: true }
  for (const cluster of used) {
    await using opened = new AsyncDisposableStack()
    await work(() => openCluster(cluster, places, parts, opened), cluster.name)
  }
}

/** Opens a cluster. Errors: `CommandFailure` when it cannot be used. */
export async function opened(open: () => Promise<OpenedCluster>): Promise<OpenedCluster> {
  try {
    return await open()
  } catch (error) {
    throw new CommandFailure((error as Error).message)
  }
}
