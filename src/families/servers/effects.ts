/** What other families may do to servers. */
export { followAddresses, needsIpv4, recall as recallServer, state as serverState } from './desired.ts'
