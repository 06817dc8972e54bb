/** What other families may ask about servers. */
export { holdServers, serversByIds, serversMatching } from './store.ts'
