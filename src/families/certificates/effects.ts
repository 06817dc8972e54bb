/** What other families may change about certificates inside their transaction. */
export { replaceUses } from './store.ts'
