/** The metrics of a server that `wolke serve` runs. */
import { dirname } from 'node:path'
import type { App } from '../app.ts'

import type { Config } from '../config/config.ts'
import type { Infrastructure } from '../drivers/infrastructure.ts'
import { fileOf } from '../kernel/data/dialect.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { World } from '../metrics/gauges.ts'
import type { ListenAddress } from '../protocols/net/listen-address.ts'

/** A server, as far as its metrics tell of it. */
interface Measured extends Pick<Infrastructure, 'storage' | 'clusters'> {
  readonly app: App
}

interface Surroundings {
  readonly log: Logger
  /** The metrics end with it. */
  readonly running: AsyncDisposableStack
}

/** Returns what serves the metrics of a server at an address, and tells their URL. */
export function metricsOf(
  config: Config,
  { app, storage, clusters }: Measured,
  { log, running }: Surroundings,
): (at: ListenAddress) => Promise<string> {
  const file = fileOf(config.database)
  const places = [
    ...(file === undefined ? [] : [{ name: 'database', path: dirname(file) }]),
    ...(storage.store ? [{ name: 'storage', path: storage.store.directory }] : []),
  ]
  const world = (): World => {
    const { engine, own } = app.address.cloud
    const { platform, drivers, process } = own
    return { platform, drivers, engine, jobs: process.jobs, health: () => process.health(), clusters, places }
  }
  return async (at) => {
    const { openMetrics } = await import('../metrics/open.ts')
    const metrics = await openMetrics({ world, log }, at)
    running.defer(() => metrics.close())
    return metrics.url
  }
}
