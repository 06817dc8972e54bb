/** What other families may change about Floating IPs inside their transaction, and make true afterwards. */
export { enforceRouting } from './actions.ts'
export { renewRouting, unassignAll } from './store.ts'
