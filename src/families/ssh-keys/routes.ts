/** SSH keys through the API: no actions, nothing asynchronous. */
import type { Handlers } from '../../kernel/contract/contract.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { enforceLimit } from '../../kernel/resource/limits.ts'
import { beforeWrite, optimistically } from '../../kernel/resource/update.ts'
import type { Platform } from '../../platform.ts'
import type { sshKeyEndpoints } from './contract.ts'
import { parsePublicKey } from './domain.ts'
import { deleteSshKey, getSshKey, insertSshKey, listSshKeys, updateSshKey } from './store.ts'
import { sshKeyToWire } from './view.ts'

/** One handler for each endpoint. */
export function sshKeyRoutes({ db, faults, limits }: Platform): Handlers<typeof sshKeyEndpoints> {
  return {
    async list({ scope, query }) {
      const filters = { fingerprint: query.fingerprint === undefined ? undefined : [query.fingerprint] }
      const { sshKeys, pagination } = await listSshKeys(db.query, scope, query, filters)
      return { ssh_keys: sshKeys.map(sshKeyToWire), meta: { pagination } }
    },

    async create({ scope, body: { name, public_key: publicKey, labels = {} } }) {
      const parsed = parsePublicKey(publicKey)
      if (!parsed.ok) throw invalidInput([{ field: 'public_key', message: parsed.message }])
      const { fingerprint } = parsed
      const sshKey = await db.transact(async (tx) => {
        await enforceLimit(tx, scope, { kind: 'ssh_keys', table: 'ssh_key' }, limits)
        return insertSshKey(tx, scope, { name, fingerprint, publicKey, labels })
      })
      return { ssh_key: sshKeyToWire(sshKey) }
    },

    async get({ scope, params }) {
      return { ssh_key: sshKeyToWire(await getSshKey(db.query, scope, params.id)) }
    },

    async update({ scope, params, body }) {
      const sshKey = await optimistically(async () => {
        const before = await getSshKey(db.query, scope, params.id)
        await beforeWrite(faults, 'ssh_key')
        const { name = before.name, labels = before.labels } = body
        return db.transact((tx) => updateSshKey(tx, scope, before, { name, labels }))
      })
      return { ssh_key: sshKeyToWire(sshKey) }
    },

    remove: ({ scope, params }) => db.transact((tx) => deleteSshKey(tx, scope, params.id)),
  }
}
