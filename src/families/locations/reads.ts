/** What other families may ask about locations. */
export { locationToWire } from './view.ts'
