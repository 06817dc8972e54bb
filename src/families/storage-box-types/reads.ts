/** Other families may ask this about types of Storage Boxes. */
export { storageBoxTypeToWire } from './view.ts'
