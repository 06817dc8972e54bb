/** What other families may ask about images. */
export { type OwnImage, outOfReach, type Template, unfitFor } from './domain.ts'
export { findTemplate, imagesByIds } from './store.ts'
export { imageToWire, ownImageToWire } from './view.ts'
