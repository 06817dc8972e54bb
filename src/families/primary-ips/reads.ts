/** What other families may ask about Primary IPs. */
export type { PrimaryIp } from './domain.ts'
export { primaryIpNames } from './host.ts'
export { primaryIpsOfServers } from './store.ts'
