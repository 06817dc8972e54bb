/** What other families may ask about types of Load Balancers. */
export { loadBalancerTypeToWire } from './view.ts'
