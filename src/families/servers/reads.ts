/** What other families may ask about servers. */
export { isBeingInstalled } from './renewal.ts'
export { holdServers, serversByIds, serversMatching } from './store.ts'
