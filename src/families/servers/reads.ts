/** What other families may ask about servers. */

export { serverById } from './host.ts'
export { isBeingInstalled } from './renewal.ts'
export { holdServers, serversByIds, serversMatching } from './store.ts'
