/** SSH keys are made on request: no actions, nothing asynchronous. */
import type { Calls } from '../../kernel/contract/contract.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { adding } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import type { sshKeyEndpoints } from './contract.ts'
import { parsePublicKey } from './domain.ts'
import { sshKeys } from './store.ts'
import { sshKeyToWire } from './view.ts'

/** Makes an SSH key. Errors: those that the contract declares. */
export async function create(platform: Platform, { scope, body }: Calls<typeof sshKeyEndpoints>['create']) {
  const { name, public_key, labels = {} } = body
  const parsed = parsePublicKey(public_key)
  if (!parsed.ok) throw invalidInput([{ field: 'public_key', message: parsed.message }])
  const given = { name, fingerprint: parsed.fingerprint, public_key, labels }
  return adding(platform, sshKeys, scope, async (tx) => {
    const sshKey = await sshKeys.insert(tx, scope, given)
    return { added: sshKey, reply: { ssh_key: sshKeyToWire(sshKey) } }
  })
}
