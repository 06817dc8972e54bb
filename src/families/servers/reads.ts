/** What other families may ask about servers. */
export { isBeingInstalled } from './disk/store.ts'
export { holdServers, serversByIds, serversMatching } from './store.ts'
