import type { MetadataDriver } from '../../metadata/driver.ts'

/** Without a real network, the path names the calling server. */
export const simulatedMetadata: MetadataDriver = {
  identify({ path }) {
    const match = /^\/servers\/([1-9]\d{0,15})(\/.*)?$/.exec(path)
    return match ? { serverId: Number(match[1]), path: match[2] ?? '/' } : undefined
  },
}
