/** What other families may ask about server types. */
export { deprecationToWire, locationPriceToWire, serverTypeToWire } from './view.ts'
