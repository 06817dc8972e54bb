/** What other families may ask about types of Storage Boxes. */
export { storageBoxTypeToWire } from './view.ts'
