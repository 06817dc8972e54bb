import type { Static } from 'typebox'
import type { SshKey as Wire } from './contract.ts'
import type { SshKey } from './domain.ts'

/** An SSH key as the API shows it. */
export function sshKeyToWire(sshKey: SshKey): Static<typeof Wire> {
  const { id, name, fingerprint, publicKey, labels, created } = sshKey
  return { id, name, fingerprint, public_key: publicKey, labels, created }
}
