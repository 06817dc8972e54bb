/** The API tokens of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { AnyRequest, ReplyFor } from '../../api/operations.ts'
import { useProject } from '../../api/session.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { copyAway } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { NameDialog } from '../../ui/name-dialog.tsx'
import { PageHead } from '../../ui/page.tsx'
import { ListFrame, Table } from '../../ui/table.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { access } from '../../words/access.ts'
import { common as c } from '../../words/common.ts'
import { ago, number } from '../../words/format.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { Equivalents } from '../shared/equivalents.tsx'
import { perform } from '../shared/submit.ts'
import { NewToken } from './new-token.tsx'
import type { Token } from './scope.ts'
import { SecretDialog } from './secret-dialog.tsx'
import { tokenColumns } from './token-columns.tsx'

const w = access.tokens

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'secret'; readonly made: ReplyFor<'management_createToken'> }
  | { readonly kind: 'rename' | 'rotate' | 'revoke'; readonly token: Token }

export function TokensPage() {
  const api = useApi()
  const project = useProject()
  const params = { project_id: api.project ?? 0 }
  const { data } = useSuspenseQuery(api.query('management_listTokens', { params }))
  const [open, setOpen] = useState<Open>()
  const reason = useReason('management_createToken')
  useShortcut('create', reason ? undefined : () => setOpen({ kind: 'new' }))
  const create = (
    <Button look="primary" icon="plus" reason={reason} keys="C" onClick={() => setOpen({ kind: 'new' })}>
      {w.create}
    </Button>
  )
  const { tokens } = data
  return (
    <>
      <PageHead
        title={w.title}
        count={number(tokens.length)}
        actions={
          <>
            <CommandsButton request={{ operation: 'management_listTokens', params }} />
            {create}
          </>
        }
      />
      {tokens.length === 0 ? (
        <Empty title={w.none} text={w.noneText} action={create} command={w.noneCommand} />
      ) : (
        <ListFrame>
          <Table
            caption={w.caption(project?.name ?? '')}
            columns={tokenColumns(tokens)}
            rows={tokens}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            menu={(token) => menuOf(token, reason, setOpen)}
          />
        </ListFrame>
      )}
      <Dialogs tokens={tokens} open={open} setOpen={setOpen} project={project?.name ?? ''} />
    </>
  )
}

function menuOf(token: Token, reason: string | undefined, setOpen: (open: Open) => void): readonly MenuEntry[] {
  return [
    { key: 'rename', isEdit: true, label: w.rename, reason, onSelect: () => setOpen({ kind: 'rename', token }) },
    { key: 'rotate', label: w.rotate, icon: 'refresh', reason, onSelect: () => setOpen({ kind: 'rotate', token }) },
    {
      key: 'copy',
      label: c.copyId,
      icon: 'copy',
      onSelect: () => copyAway(String(token.id)),
    },
    'line',
    {
      key: 'revoke',
      label: w.revoke,
      icon: 'trash',
      isBad: true,
      reason,
      onSelect: () => setOpen({ kind: 'revoke', token }),
    },
  ]
}

interface DialogsProps {
  readonly tokens: readonly Token[]
  readonly open: Open | undefined
  readonly setOpen: (open: Open | undefined) => void
  readonly project: string
}

function Dialogs({ tokens, open, setOpen, project }: DialogsProps) {
  const outdate = useOutdate()
  const close = () => setOpen(undefined)
  const show = (made: ReplyFor<'management_createToken'>) => {
    setOpen({ kind: 'secret', made })
    void outdate('management')
  }
  if (!open) return null
  if (open.kind === 'new') return <NewToken onCreated={show} onClose={close} />
  if (open.kind === 'secret') return <SecretDialog made={open.made} project={project} onClose={close} />
  const token = tokens.find(({ id }) => id === open.token.id) ?? open.token
  return <TokenDialog kind={open.kind} token={token} onMade={show} onClose={close} />
}

interface TokenDialogProps {
  readonly kind: 'rename' | 'rotate' | 'revoke'
  readonly token: Token
  readonly onMade: (made: ReplyFor<'management_rotateToken'>) => void
  readonly onClose: () => void
}

function TokenDialog({ kind, token, onMade, onClose }: TokenDialogProps) {
  const api = useApi()
  const outdate = useOutdate()
  const { name, last_used: used } = token
  const params = { project_id: api.project ?? 0, token_id: token.id }
  if (kind === 'rename') {
    const renaming = (next: string) =>
      ({ operation: 'management_renameToken', params, body: { name: next } }) satisfies AnyRequest
    const rename = async (next: string) => {
      await perform<'management_renameToken'>(api, renaming(next))
      await outdate('management')
    }
    return (
      <NameDialog
        title={w.renameTitle(name)}
        label={w.name}
        initial={name}
        maxLength={128}
        onSave={rename}
        onClose={onClose}
      >
        {(next) => <Equivalents request={renaming(next)} />}
      </NameDialog>
    )
  }
  if (kind === 'rotate') {
    return (
      <ConfirmRequest
        title={w.rotateTitle(name)}
        text={w.rotateText}
        act={w.rotateAct}
        request={{ operation: 'management_rotateToken', params, body: {} }}
        families={[]}
        // The question closes itself when this is done, and the new token opens after it.
        done={(made) => setTimeout(onMade, 0, made)}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmRequest
      title={w.revokeTitle(name)}
      text={w.revokeText(used ? ago(used) : w.never)}
      act={w.revokeAct}
      request={{ operation: 'management_revokeToken', params }}
      families={['management']}
      onClose={onClose}
    />
  )
}
