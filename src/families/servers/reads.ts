/** What other families may ask about servers. */
export { isBeingInstalled } from './renewal.ts'
export { holdServers, serverById, serversByIds, serversMatching } from './store.ts'
