/** What other families may ask about Floating IPs. */
export { floatingIpsOfServers } from './store.ts'
