/** The people of the installation: who they are, whether they may sign in, and links that let them in. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import type { BodyFor, ReplyFor } from '../../api/operations.ts'
import { whoamiQuery } from '../../api/session.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { copyAway } from '../../ui/copy.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import type { MenuEntry, MenuItem } from '../../ui/menu-entry.ts'
import { PageHead } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { admin } from '../../words/admin.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { LinkDialog } from '../shared/link-dialog.tsx'
import { PersonCell } from '../shared/person-cell.tsx'
import { AdminTabs, FilteredList } from './frame.tsx'
import { NewPerson } from './new-person.tsx'

const w = admin.people
const api = apiOf(undefined)

type Person = ReplyFor<'people_people'>['people'][number]
type Change = 'makeAdmin' | 'unmakeAdmin' | 'disable'

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: Change | 'newLink'; readonly person: Person }
  | { readonly kind: 'link'; readonly email: string; readonly link: string | null; readonly isNew: boolean }

export function PeoplePage() {
  const outdate = useOutdate()
  const { data } = useSuspenseQuery(api.query('people_people', {}))
  const { data: me } = useQuery(whoamiQuery)
  const [open, setOpen] = useState<Open>()
  const reason = useReason('people_createPerson')
  const create = () => setOpen({ kind: 'new' })
  const enable = ({ id }: Person) =>
    void api
      .call('people_updatePerson', { params: { id }, body: { disabled: false } })
      .then(() => outdate('people'))
      .catch((cause: unknown) => tellFailure(cause))
  useShortcut('create', reason ? undefined : create)
  return (
    <>
      <PageHead
        title={w.title}
        count={number(data.people.length)}
        actions={
          <>
            <CommandsButton request={{ operation: 'people_people' }} />
            <Button look="primary" icon="plus" reason={reason} keys="C" onClick={create}>
              {w.create}
            </Button>
          </>
        }
      />
      <AdminTabs current="people" />
      <FilteredList
        caption={w.caption}
        filter={w.filter}
        filterHint={w.filterHint}
        rows={data.people}
        columns={columnsFor(me?.whoami.kind === 'person' ? me.whoami.id : undefined)}
        idOf={({ id }) => id}
        nameOf={({ email }) => email}
        textsOf={textsOf}
        defaultSort="person"
        menu={(person) => menuOf(person, { reason, isLastAdmin: isLastAdmin(person, data.people), setOpen, enable })}
      />
      <Dialogs open={open} setOpen={setOpen} />
    </>
  )
}

const textsOf = ({ name, email }: Person) => [name, email]

function columnsFor(me: number | undefined): readonly Column<Person>[] {
  return [
    {
      key: 'person',
      label: w.person,
      card: 'key',
      sort: ({ name, email }) => name || email,
      cell: ({ id, name, email, is_verified: isVerified }) => (
        <PersonCell name={name} email={email} you={id === me && w.you} unproven={!isVerified && w.notVerified} />
      ),
    },
    {
      key: 'role',
      label: w.role,
      card: 'sub',
      sort: ({ installation_role: role }) => role,
      cell: ({ installation_role: role }) => (
        <span className={role === 'none' ? 'dim' : undefined}>{w.roles[role]}</span>
      ),
    },
    {
      key: 'state',
      label: w.state,
      card: 'stat',
      sort: ({ disabled }) => (disabled ? 1 : 0),
      cell: ({ disabled }) => (
        <>
          <State mood={disabled ? 'off' : 'ok'}>{disabled ? w.disabled : w.allowed}</State>
          {disabled && (
            <small>
              <Ago time={disabled} />
            </small>
          )}
        </>
      ),
    },
    {
      key: 'factor',
      label: w.secondFactor,
      rank: 2,
      sort: ({ has_second_factor: has }) => (has ? 1 : 0),
      cell: ({ has_second_factor: has }) => <State mood={has ? 'ok' : 'warn'}>{has ? w.yes : w.no}</State>,
    },
    {
      key: 'seen',
      label: w.lastSeen,
      isEnd: true,
      isNarrow: true,
      sort: ({ last_seen: seen }) => seen ?? '',
      cell: ({ last_seen: seen }) => <span className="dim">{seen ? <Ago time={seen} /> : w.never}</span>,
    },
  ]
}

/** Without them nobody could let anybody in. */
function isLastAdmin({ id }: Person, people: readonly Person[]): boolean {
  const admins = people.filter(({ installation_role: role, disabled }) => role === 'admin' && !disabled)
  return admins.length === 1 && admins[0]?.id === id
}

interface MenuContext {
  readonly reason: string | undefined
  readonly isLastAdmin: boolean
  readonly setOpen: (open: Open) => void
  readonly enable: (person: Person) => void
}

function menuOf(person: Person, { reason, isLastAdmin, setOpen, enable }: MenuContext): readonly MenuEntry[] {
  const isAdmin = person.installation_role === 'admin'
  const stays = reason ?? (isLastAdmin ? w.isLastAdmin : undefined)
  const entry = (kind: Change | 'newLink', more: Partial<MenuItem> = {}): MenuEntry => ({
    key: kind,
    label: w[kind],
    reason,
    onSelect: () => setOpen({ kind, person }),
    ...more,
  })
  return [
    entry('newLink', { icon: 'link', reason: reason ?? (person.disabled ? w.isDisabled : undefined) }),
    isAdmin ? entry('unmakeAdmin', { icon: 'person', reason: stays }) : entry('makeAdmin', { icon: 'person' }),
    {
      key: 'copy',
      label: c.copyId,
      icon: 'copy',
      onSelect: () => copyAway(String(person.id)),
    },
    'line',
    person.disabled
      ? { key: 'enable', label: w.enable, reason, onSelect: () => enable(person) }
      : entry('disable', { icon: 'lock', isBad: true, reason: stays }),
  ]
}

const bodies: Readonly<Record<Change, BodyFor<'people_updatePerson'>>> = {
  makeAdmin: { installation_role: 'admin' },
  unmakeAdmin: { installation_role: 'none' },
  disable: { disabled: true },
}

function Dialogs({ open, setOpen }: { readonly open: Open | undefined; readonly setOpen: (open?: Open) => void }) {
  const close = () => setOpen(undefined)
  if (!open) return null
  if (open.kind === 'link') {
    const { email, link, isNew } = open
    const title = isNew ? w.createdTitle(email) : w.linkTitle(email)
    return <LinkDialog title={title} text={link === null ? w.mailed(email) : w.linkText} link={link} onClose={close} />
  }
  if (open.kind === 'new') {
    const show = ({ person: { email }, link }: ReplyFor<'people_createPerson'>) =>
      setOpen({ kind: 'link', email, link, isNew: true })
    return <NewPerson onCreated={show} onClose={close} />
  }
  const { kind, person } = open
  const { id, email } = person
  const params = { id }
  if (kind === 'newLink') {
    return (
      <ConfirmRequest
        title={w.newLinkTitle(email)}
        text={w.newLinkText}
        act={w.newLinkAct}
        keep={w.keep}
        request={{ operation: 'people_makePersonLink', params }}
        families={[]}
        // The question closes itself when this is done, and the link is shown after it.
        done={({ link }) => setTimeout(setOpen, 0, { kind: 'link', email, link, isNew: false })}
        onClose={close}
      />
    )
  }
  const texts = {
    makeAdmin: [w.makeAdminTitle(email), w.makeAdminText],
    unmakeAdmin: [w.unmakeAdminTitle(email), w.unmakeAdminText],
    disable: [w.disableTitle(email), w.disableText],
  } as const
  const [title, text] = texts[kind]
  return (
    <ConfirmRequest
      title={title}
      text={text}
      act={w[kind]}
      keep={w.keep}
      request={{ operation: 'people_updatePerson', params, body: bodies[kind] }}
      families={['people']}
      onClose={close}
    />
  )
}
