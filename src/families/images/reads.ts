/** What other families may ask about images. */
export { imageToWire } from './view.ts'
