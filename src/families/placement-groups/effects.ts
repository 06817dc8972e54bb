/** What other families may change about placement groups inside their transaction. */
export { joinGroup, leaveGroup } from './store.ts'
