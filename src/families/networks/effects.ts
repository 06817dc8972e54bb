/** What other families may do in networks. */
export { placeBalancer } from './members/work.ts'
export { holdNetwork } from './store.ts'
