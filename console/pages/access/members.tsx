/** The people of a Project, and those who are invited. */

import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { useLack, useProject, whoamiQuery } from '../../api/session.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card, List } from '../../ui/card.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { PageHead } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, ListFrame, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { access } from '../../words/access.ts'
import { common as c } from '../../words/common.ts'
import { ago, number } from '../../words/format.ts'
import { shell } from '../../words/shell.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { LinkDialog } from '../shared/link-dialog.tsx'
import { PersonCell } from '../shared/person-cell.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import type { Member } from './member.ts'
import { RoleDialog } from './role-dialog.tsx'

const w = access.members
const { roles } = shell

type Invitation = ReplyFor<'people_invitations'>['invitations'][number]

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'invited'; readonly made: ReplyFor<'people_invite'> }
  | { readonly kind: 'role' | 'remove' | 'transfer'; readonly member: Member }
  | { readonly kind: 'withdraw'; readonly invitation: Invitation }

export function MembersPage() {
  const api = useApi()
  const project = useProject()
  const params = { project_id: api.project ?? 0 }
  const { data } = useSuspenseQuery(api.query('management_listMembers', { params }))
  const mayInvite = useLack('people_invitations') === undefined
  const { data: invited } = useQuery({ ...api.query('people_invitations', { params }), enabled: mayInvite })
  const { data: me } = useQuery(whoamiQuery)
  const [open, setOpen] = useState<Open>()
  const reason = useReason('people_invite')
  const transferReason = useReason('management_transferProject')
  useShortcut('create', reason ? undefined : () => setOpen({ kind: 'invite' }))
  const invite = () => setOpen({ kind: 'invite' })
  const menu = (member: Member): readonly MenuEntry[] => {
    const ofOwner = member.role === 'owner' ? w.isOwner : undefined
    const entry = (kind: 'role' | 'transfer' | 'remove', label: string, why: string | undefined): MenuEntry => ({
      key: kind,
      label,
      reason: why ?? ofOwner,
      isBad: kind === 'remove',
      onSelect: () => setOpen({ kind, member }),
    })
    return [
      entry('role', w.changeRole, reason),
      entry('transfer', w.transfer, transferReason),
      'line',
      entry('remove', w.remove, reason),
    ]
  }
  return (
    <>
      <PageHead
        title={w.title}
        count={number(data.members.length)}
        actions={
          <>
            <CommandsButton request={{ operation: 'management_listMembers', params }} />
            <Button look="primary" icon="plus" reason={reason} keys="C" onClick={invite}>
              {w.invite}
            </Button>
          </>
        }
      />
      <ListFrame>
        <Table
          caption={w.caption(project?.name ?? '')}
          columns={columnsFor(me?.whoami.kind === 'person' ? me.whoami.id : undefined)}
          rows={data.members}
          idOf={({ person_id: id }) => id}
          nameOf={({ email }) => email}
          menu={menu}
        />
      </ListFrame>
      {invited && invited.invitations.length > 0 && (
        <Invitations
          invitations={invited.invitations}
          reason={reason}
          onWithdraw={(invitation) => setOpen({ kind: 'withdraw', invitation })}
        />
      )}
      <Dialogs open={open} project={project?.name ?? ''} onOpen={setOpen} onClose={() => setOpen(undefined)} />
    </>
  )
}

function columnsFor(me: number | undefined): readonly Column<Member>[] {
  return [
    {
      key: 'person',
      label: w.person,
      card: 'key',
      cell: ({ person_id: id, name, email, is_verified: isVerified }) => (
        <PersonCell name={name} email={email} you={id === me && w.you} unproven={!isVerified && w.notVerified} />
      ),
    },
    {
      key: 'role',
      label: w.role,
      card: 'stat',
      cell: ({ role }) => (
        <>
          {roles[role]}
          <small>{w.may[role]}</small>
        </>
      ),
    },
    {
      key: 'factor',
      label: w.secondFactor,
      rank: 2,
      cell: ({ has_second_factor: has }) => <State mood={has ? 'ok' : 'warn'}>{has ? w.yes : w.no}</State>,
    },
    {
      key: 'seen',
      label: w.lastSeen,
      isEnd: true,
      isNarrow: true,
      cell: ({ last_seen: seen }) => <span className="dim">{seen ? <Ago time={seen} /> : w.never}</span>,
    },
  ]
}

interface InvitationsProps {
  readonly invitations: readonly Invitation[]
  readonly reason: string | undefined
  readonly onWithdraw: (invitation: Invitation) => void
}

function Invitations({ invitations, reason, onWithdraw }: InvitationsProps) {
  return (
    <Card title={w.invitations}>
      <List>
        {invitations.map((invitation) => (
          <li key={invitation.id}>
            <span>
              {invitation.email}
              <small>
                {[
                  roles[invitation.role],
                  invitation.inviter && w.invitedBy(invitation.inviter),
                  w.expires(ago(invitation.expires)),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </small>
            </span>
            <span className="end">
              <DotsMenu
                label={c.actionsFor(invitation.email)}
                entries={() => [
                  { key: 'withdraw', label: w.withdraw, isBad: true, reason, onSelect: () => onWithdraw(invitation) },
                ]}
              />
            </span>
          </li>
        ))}
      </List>
    </Card>
  )
}

interface DialogsProps {
  readonly open: Open | undefined
  readonly project: string
  readonly onOpen: (next: Open) => void
  readonly onClose: () => void
}

function Dialogs({ open, project, onOpen, onClose }: DialogsProps) {
  const api = useApi()
  const project_id = api.project ?? 0
  if (!open) return null
  if (open.kind === 'invite') {
    return <InviteDialog project={project} onInvited={(made) => onOpen({ kind: 'invited', made })} onClose={onClose} />
  }
  if (open.kind === 'invited') {
    const { invitation, link } = open.made
    const text = link === null ? w.sent(invitation.email) : w.linkText
    return <LinkDialog title={w.sentTitle(invitation.email)} text={text} link={link} onClose={onClose} />
  }
  if (open.kind === 'role') return <RoleDialog member={open.member} onClose={onClose} />
  if (open.kind === 'withdraw') {
    const { id, email } = open.invitation
    return (
      <ConfirmRequest
        title={w.withdrawTitle(email)}
        text={w.withdrawText}
        act={w.withdrawAct}
        request={{ operation: 'people_withdrawInvitation', params: { project_id, id } }}
        families={['people']}
        onClose={onClose}
      />
    )
  }
  const { person_id, email } = open.member
  if (open.kind === 'transfer') {
    return (
      <ConfirmRequest
        title={w.transferTitle(email)}
        text={w.transferText}
        act={w.transferAct}
        word={project}
        request={{ operation: 'management_transferProject', params: { project_id }, body: { person_id } }}
        families={['management']}
        onClose={onClose}
      />
    )
  }
  return (
    <ConfirmRequest
      title={w.removeTitle(email)}
      text={w.removeText(project)}
      act={w.removeAct}
      request={{ operation: 'management_removeMember', params: { project_id, person_id } }}
      families={['management']}
      onClose={onClose}
    />
  )
}
