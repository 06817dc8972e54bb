/** What other families may ask about servers. */
export { holdServers, serverById, serversByIds, serversMatching } from './store.ts'
