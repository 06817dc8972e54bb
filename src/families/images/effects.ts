/** What other families may change about images inside their transaction. */
export { discardImages } from './actions.ts'
export { surplusBackups } from './domain.ts'
export { completeImage, images, insertImage, lockBackups } from './store.ts'
