/** What other families may ask about certificates. */
export { getKeyPair } from './store.ts'
