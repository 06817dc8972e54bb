/** What other families may change about images inside their transaction. */
export { discardImages } from './actions.ts'
export { surplusBackups } from './domain.ts'
export { completeImage, holdImage, insertImage, limitedImages, lockBackups } from './store.ts'
