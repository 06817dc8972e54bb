/** What other families may do to Load Balancers. */
export { follow as followBalancers } from './actions.ts'
