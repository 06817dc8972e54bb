/** What other families may change about Primary IPs inside their transaction. */
export { createPrimaryIpFor, releasePrimaryIpsOf } from './store.ts'
