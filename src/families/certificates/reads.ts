/** What other families may ask about certificates. */
export { findKeyPair } from './store.ts'
