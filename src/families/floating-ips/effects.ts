/** What other families may change about Floating IPs inside their transaction, and make true afterwards. */
export { routing } from './desired.ts'
export { unassignAll } from './store.ts'
