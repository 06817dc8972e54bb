/** What other families may ask about datacenters. */
export { datacenterOf } from './domain.ts'
export { datacenterToWire } from './view.ts'
