/** Shows the subaccounts of a Storage Box: who they are, what they see, and how they get in. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import { sh } from '../../commands/shell.ts'
import { type Password, PasswordsDialog } from '../../pages/shared/passwords-dialog.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { type Column, ListFrame, nameClass, Table, Tools } from '../../ui/table.tsx'
import { Labels } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import type { Box, Subaccount } from './box.ts'
import { flagsText, subaccountFlags } from './flags.tsx'
import { SubaccountDialogs, type SubaccountKind } from './subaccount-dialogs.tsx'
import { CreateDialog } from './subaccount-new.tsx'
import { subaccounts as w } from './subaccounts.words.ts'
import { boxes as b } from './words.ts'

interface Asked {
  readonly kind: SubaccountKind
  readonly account: Subaccount
}

export function SubaccountsTab({ box }: { readonly box: Box }) {
  const { id, name, status, storage_box_type: type } = box
  const { data: accounts } = useSuspenseQuery(useApi().list('storage_boxes_listSubaccounts', { params: { id } }))
  const [asked, ask] = useState<Asked | 'create'>()
  const [made, showMade] = useState<Password>()
  const close = () => ask(undefined)
  const menuOf = useMenu((kind, account) => ask({ kind, account }))
  const mayCreate = useReason('storage_boxes_createSubaccount')
  const reason = mayCreate ?? (status === 'initializing' ? b.notYet : undefined)
  const create = (
    <Button look="primary" icon="plus" reason={reason} onClick={() => ask('create')}>
      {w.create}
    </Button>
  )
  return (
    <>
      {accounts.length === 0 ? (
        <Empty
          title={w.none}
          text={w.noneText}
          action={create}
          command={sh`hcloud storage-box subaccount create --home-directory team/web --password "$PASSWORD" ${id}`}
        />
      ) : (
        <ListFrame>
          <Tools end={create}>
            <span className="faint">{w.countOf(number(accounts.length), number(type.subaccounts_limit))}</span>
          </Tools>
          <Table
            caption={w.caption(name)}
            columns={columns}
            rows={accounts}
            idOf={(account) => account.id}
            nameOf={(account) => account.name}
            menu={menuOf}
          />
          <span className="only-narrow">{create}</span>
        </ListFrame>
      )}
      {asked === 'create' && <CreateDialog box={box} onMade={showMade} onClose={close} />}
      {asked && asked !== 'create' && (
        <SubaccountDialogs
          box={box}
          kind={asked.kind}
          account={accounts.find((one) => one.id === asked.account.id) ?? asked.account}
          onSet={(password) => showMade({ name: asked.account.username, password })}
          onClose={close}
        />
      )}
      {made && (
        <PasswordsDialog title={b.passwordOf(made.name)} passwords={[made]} onClose={() => showMade(undefined)} />
      )}
    </>
  )
}

/** Returns the menu of a subaccount. */
function useMenu(ask: (kind: SubaccountKind, account: Subaccount) => void) {
  const mayUpdate = useReason('storage_boxes_updateSubaccount')
  const mayMove = useReason('storage_boxes_changeHomeDirectory')
  const mayAccess = useReason('storage_boxes_updateSubaccountAccess')
  const mayPassword = useReason('storage_boxes_resetSubaccountPassword')
  const mayRemove = useReason('storage_boxes_removeSubaccount')
  return (account: Subaccount): readonly MenuEntry[] => {
    const onSelect = (kind: SubaccountKind) => () => ask(kind, account)
    return [
      { key: 'edit', label: w.edit, icon: 'settings', isEdit: true, reason: mayUpdate, onSelect: onSelect('edit') },
      { key: 'home', label: w.changeHome, icon: 'arrow', reason: mayMove, onSelect: onSelect('home') },
      { key: 'access', label: w.changeAccess, icon: 'link', reason: mayAccess, onSelect: onSelect('access') },
      { key: 'password', label: b.resetPassword, icon: 'key', reason: mayPassword, onSelect: onSelect('password') },
      'line',
      { key: 'delete', label: c.delete, icon: 'trash', isBad: true, reason: mayRemove, onSelect: onSelect('delete') },
    ]
  }
}

const columns: readonly Column<Subaccount>[] = [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    cell: ({ name, description }) => (
      <>
        <span className={nameClass}>{name}</span>
        {description && <small>{description}</small>}
      </>
    ),
  },
  {
    key: 'home',
    label: w.home,
    card: 'sub',
    isMono: true,
    cell: ({ home_directory: home, username }) => (
      <>
        {home}
        <span className="only-card"> · {username}</span>
      </>
    ),
  },
  {
    key: 'user',
    label: w.user,
    isMono: true,
    rank: 2,
    cell: ({ username, server }) => (
      <>
        <span className="row">
          {username}
          <CopyButton text={username} label={c.copyName(username)} />
        </span>
        <small>{server}</small>
      </>
    ),
  },
  {
    key: 'access',
    label: b.access,
    card: 'stat',
    cell: ({ access_settings: access }) => flagsText(subaccountFlags, access) || <span className="faint">{w.off}</span>,
  },
  { key: 'labels', label: c.labels, rank: 3, cell: ({ labels }) => <Labels labels={labels} /> },
]
