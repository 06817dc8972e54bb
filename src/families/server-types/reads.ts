/** What other families may ask about server types. */
export { deprecationToWire, serverTypeToWire } from './view.ts'
