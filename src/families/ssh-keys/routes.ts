/** SSH keys through the API: no actions, nothing asynchronous. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { resourceRoutes } from '../../kernel/resource/routes.ts'
import { adding, removing } from '../../kernel/resource/work.ts'
import type { Platform } from '../../platform.ts'
import type { sshKeyEndpoints } from './contract.ts'
import { parsePublicKey } from './domain.ts'
import { sshKeys } from './store.ts'
import { sshKeyToWire } from './view.ts'

/** One handler for each endpoint. */
export function sshKeyRoutes(platform: Platform): Handlers<typeof sshKeyEndpoints> {
  return {
    ...resourceRoutes(platform, sshKeys, (keys) => keys.map(sshKeyToWire)),

    async create({ scope, body: { name, public_key, labels = {} } }) {
      const parsed = parsePublicKey(public_key)
      if (!parsed.ok) throw invalidInput([{ field: 'public_key', message: parsed.message }])
      const { fingerprint } = parsed
      const given = { name, fingerprint, public_key, labels }
      const sshKey = await adding(platform, sshKeys, scope, (tx) => sshKeys.insert(tx, scope, given))
      return { ssh_key: sshKeyToWire(sshKey) }
    },

    remove: (call) => removing(platform, sshKeys, call),
  }
}
