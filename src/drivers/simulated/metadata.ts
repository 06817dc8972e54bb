import type { MetadataDriver } from '../../metadata/driver.ts'

/** There is no network to be on: a path that names a server stands for a connection from that server. */
export const simulatedMetadata: MetadataDriver = {
  identify({ path }) {
    const match = /^\/servers\/([1-9]\d{0,15})(\/.*)?$/.exec(path)
    return match ? { serverId: Number(match[1]), path: match[2] ?? '/' } : undefined
  },
}
