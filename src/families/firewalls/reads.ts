/** What other families may ask about firewalls. */
export { firewallsOfServers } from './view.ts'
