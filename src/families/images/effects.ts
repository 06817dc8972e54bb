/** What other families may change about images inside their transaction. */
export { discardImages } from './actions.ts'
export { completeImage, holdImage, insertImage, lockBackups, surplusBackups } from './store.ts'
