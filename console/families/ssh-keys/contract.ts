/** The operations on SSH keys, as the API has them. */
import type { sshKeyEndpoints } from '../../../src/families/ssh-keys/contract.ts'

export type Contract = typeof sshKeyEndpoints
