/** The metadata service of a world, on a port of its own. */
import type { Server } from 'node:http'
import { after } from 'node:test'
import { builtIn } from '../src/catalogue/built-in.ts'
import { openCatalogue } from '../src/catalogue/catalogue.ts'
import { simulatedMetadata } from '../src/drivers/simulated/metadata.ts'
import { openLog } from '../src/kernel/process/log.ts'
import { buildMetadataService, listenForMetadata } from '../src/metadata/service.ts'
import type { World } from './harness.ts'

const running: Server[] = []
after(() => {
  for (const server of running) server.close()
})

/** Starts it until the tests of the file have ended; returns its URL. Servers are below `/servers/{id}`. */
export async function serveMetadata({ db, clock }: World): Promise<string> {
  const service = buildMetadataService({
    db,
    clock,
    driver: simulatedMetadata,
    catalogue: openCatalogue(builtIn),
    log: openLog('silent'),
    prefix: '/hetzner',
  })
  running.push(service)
  return listenForMetadata(service, '127.0.0.1', 0)
}
