/** SSH keys in the database. */
import type { Queries } from '../../kernel/data/db.ts'
import { scoped } from '../../kernel/data/scoped.ts'
import { notUnique } from '../../kernel/errors.ts'
import { readLabels } from '../../kernel/resource/label-index.ts'
import { defineResource, nameTaken } from '../../kernel/resource/resource.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { spelling } from './contract.ts'
import type { SshKey } from './domain.ts'
import type { SshKeyRow } from './tables.ts'

function fromRow({ public_key: publicKey, labels, project_id: _, ...row }: SshKeyRow): SshKey {
  return { ...row, publicKey, labels: readLabels(labels) }
}

export const sshKeys = defineResource({
  ...spelling,
  fromRow,
  unique: {
    name: nameTaken('SSH key name is already used'),
    fingerprint: () => notUnique('public_key', 'SSH key not unique: the public key is there already'),
  },
})

/** The keys that have one of the ids or one of the names. */
export async function sshKeysNamed(
  query: Queries,
  scope: ProjectScope,
  { ids, names }: { ids: readonly number[]; names: readonly string[] },
): Promise<SshKey[]> {
  if (ids.length + names.length === 0) return []
  const rows = await scoped(query, scope)
    .selectFrom('ssh_key')
    .selectAll()
    .where((is) =>
      is.or([ids.length ? is('id', 'in', ids) : is.lit(false), names.length ? is('name', 'in', names) : is.lit(false)]),
    )
    .execute()
  return rows.map(fromRow)
}
