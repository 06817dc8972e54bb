/** What other families may ask about datacenters. */
export { datacenterOf, locationOfDatacenter } from './domain.ts'
export { datacenterToWire } from './view.ts'
