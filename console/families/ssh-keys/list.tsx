/** The SSH keys of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ItemOf, useApi } from '../../api/api.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { CopyButton, copyAway } from '../../ui/copy.tsx'
import type { Column } from '../../ui/table.tsx'
import { common as c } from '../../words/common.ts'
import { AddDialog } from './add-dialog.tsx'
import { sshKeys as w } from './words.ts'

type SshKey = ItemOf<'ssh_keys_list'>

const kindOf = ({ public_key: key }: SshKey) => key.split(' ', 1)[0]!.replace(/^ssh-|^ecdsa-sha2-/, '')

const keyActs: ActsOptions<SshKey> = { family: 'ssh_keys', lost: w.deleteText, deleteAct: w.deleteAct }

const columns: readonly Column<SshKey>[] = [
  { key: 'name', label: c.name, card: 'key', sort: ({ name }) => name, cell: ({ name }) => <b>{name}</b> },
  { key: 'kind', label: w.kind, card: 'stat', sort: kindOf, cell: kindOf },
  {
    key: 'fingerprint',
    label: w.fingerprint,
    card: 'sub',
    isMono: true,
    cell: ({ fingerprint }) => (
      <span className="row">
        {fingerprint}
        <CopyButton text={fingerprint} label={w.copyFingerprint} />
      </span>
    ),
  },
  labelsColumn(),
  ageColumn(),
]

const textsOf = ({ name, fingerprint, public_key: key }: SshKey) => [name, fingerprint, key]

export function SshKeysPage() {
  const api = useApi()
  const { data: keys, dataUpdatedAt } = useSuspenseQuery(api.list('ssh_keys_list', {}))
  const [isAdding, add] = useState(false)
  const acts = useResourceActs(keyActs)
  return (
    <ListPage
      family="ssh_keys"
      words={w}
      rows={keys}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: w.add, reason: useReason('ssh_keys_create'), act: () => add(true) }}
      commands={[
        { label: w.list, request: { operation: 'ssh_keys_list' } },
        { label: w.add, request: { operation: 'ssh_keys_create', body: example } },
      ]}
      menu={(key) =>
        acts.menu(key, [
          {
            key: 'public',
            label: w.copyPublic,
            icon: 'copy',
            onSelect: () => copyAway(key.public_key),
          },
        ])
      }
    >
      {isAdding && <AddDialog onClose={() => add(false)} />}
      {acts.dialogs}
    </ListPage>
  )
}

const example = { name: 'laptop', public_key: 'ssh-ed25519 AAAA… laptop' }
