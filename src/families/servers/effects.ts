/** What other families may do to servers. */
export { state as serverState } from './desired.ts'
