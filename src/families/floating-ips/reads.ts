/** What other families may ask about Floating IPs. */
export { floatingIpNames } from './host.ts'
export { floatingIpsOfServers } from './store.ts'
