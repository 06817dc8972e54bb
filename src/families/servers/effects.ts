/** What other families may do to servers. */
export { followAddresses, needsIpv4, recall as recallServers, state as serverState } from './desired.ts'
