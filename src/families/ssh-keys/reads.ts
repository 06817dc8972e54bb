/** What other families may ask about SSH keys. */
export { readPublicKey } from './public-key.ts'
export { sshKeysNamed } from './store.ts'
