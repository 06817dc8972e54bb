/** What other families may ask about SSH keys. */
export { sshKeysNamed } from './store.ts'
