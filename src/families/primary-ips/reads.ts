/** What other families may ask about Primary IPs. */
export type { PrimaryIp } from './domain.ts'
export { primaryIpsOfBalancers, primaryIpsOfServers } from './store.ts'
