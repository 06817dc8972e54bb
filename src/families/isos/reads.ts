/** What other families may ask about ISOs. */
export { isoUnfitFor } from './domain.ts'
export { isoToWire } from './view.ts'
