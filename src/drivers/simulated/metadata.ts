/** The simulated metadata service's view of its callers. */
import type { MetadataDriver } from '../../metadata/driver.ts'
import type { Site } from './simulation.ts'

/** Without a real network, the path names the calling server. */
export function simulateMetadata(_site: Site) {
  const driver: MetadataDriver = {
    identify({ path }) {
      const match = /^\/servers\/([1-9]\d{0,15})(\/.*)?$/.exec(path)
      return match ? { serverId: Number(match[1]), path: match[2] ?? '/' } : undefined
    },
  }
  // It only looks.
  return { drivers: { metadata: driver }, world: {}, certain: ['metadata.identify'] }
}
