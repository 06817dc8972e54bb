/** The SSH keys of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { type ItemOf, useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { CopyButton } from '../../ui/copy.tsx'
import type { Column } from '../../ui/table.tsx'
import { common } from '../../words/en/common.ts'
import { sshKeys as english } from '../../words/en/ssh-keys.ts'
import { wordsOf } from '../../words/words.ts'
import { type ResourceCalls, useResourceActs } from '../resources/acts.tsx'
import { ageColumn, labelsColumn } from '../resources/cells.tsx'
import { ListPage } from '../resources/list-page.tsx'
import { AddDialog } from './add-dialog.tsx'

const w = wordsOf('sshKeys', english)
const c = wordsOf('common', common)

type SshKey = ItemOf<'ssh_keys_list'>

const kindOf = ({ public_key: key }: SshKey) => key.split(' ', 1)[0]!.replace(/^ssh-|^ecdsa-sha2-/, '')

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
  const acts = useResourceActs(useCalls())
  return (
    <ListPage
      title={w.title}
      rows={keys}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      nameOf={({ name }) => name}
      primary={{ label: w.add, reason: useReason('ssh_keys_create'), act: () => add(true) }}
      commands={[
        { label: w.list, request: { operation: 'ssh_keys_list' } },
        { label: w.add, request: { operation: 'ssh_keys_create', body: example } },
      ]}
      empty={{ title: w.none, text: w.noneText, command: w.noneCommand }}
      menu={(key) =>
        acts.menu(key, [
          {
            key: 'public',
            label: w.copyPublic,
            icon: 'copy',
            onSelect: () => void navigator.clipboard?.writeText(key.public_key),
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

function useCalls(): ResourceCalls<SshKey> {
  const api = useApi()
  const outdate = useOutdate()
  return useMemo(() => {
    const update = (id: number, body: object) =>
      api.call('ssh_keys_update', { params: { id }, body }).then(() => outdate('ssh_keys'))
    return {
      operations: { update: 'ssh_keys_update', remove: 'ssh_keys_remove' },
      rename: ({ id }, name) => update(id, { name }),
      relabel: ({ id }, labels) => update(id, { labels: { ...labels } }),
      remove: ({ id }) => api.call('ssh_keys_remove', { params: { id } }).then(() => outdate('ssh_keys')),
      words: { deleteText: () => w.deleteText, deleteAct: w.deleteAct },
    }
  }, [api, outdate])
}
