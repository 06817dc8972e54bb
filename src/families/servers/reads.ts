/** What other families may ask about servers. */
export { isBeingInstalled } from './disk/store.ts'
export { holdServers, locationOfServer, serversByIds, serversMatching } from './store.ts'
