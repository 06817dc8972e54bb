/** What other families may ask about Primary IPs. */
export type { PrimaryIp } from './domain.ts'
export { primaryIpsOfServers } from './store.ts'
