/** All Projects of the installation: whose they are, how much they hold and may hold. Not what is in them. */

import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { projectsQuery, whoamiQuery } from '../../api/session.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { projectLink } from '../../families.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { copyAway } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useGo } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { PageHead } from '../../ui/page.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { admin } from '../../words/admin.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { projects as p } from '../../words/projects.ts'
import { NewProject } from '../home/new-project.tsx'
import { ConfirmRequest } from '../shared/confirm-request.tsx'
import { holdings, kindNames } from '../shared/kinds.ts'
import { AdminTabs, FilteredList } from './frame.tsx'
import type { InstalledProject } from './installed-project.ts'
import { LimitsDialog } from './limits-dialog.tsx'

const w = admin.projects
const api = apiOf(undefined)

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'limits' | 'join' | 'delete'; readonly project: InstalledProject }

export function InstalledProjectsPage() {
  const { data: projects } = useSuspenseQuery(api.list('management_listInstalledProjects', {}))
  const [open, setOpen] = useState<Open>()
  const reason = useReason('management_createProject')
  const create = () => setOpen({ kind: 'new' })
  useShortcut('create', reason ? undefined : create)
  const menu = useMenu(reason, setOpen)
  const button = (
    <Button look="primary" icon="plus" reason={reason} keys="C" onClick={create}>
      {p.create}
    </Button>
  )
  return (
    <>
      <PageHead
        title={w.title}
        count={number(projects.length)}
        actions={
          <>
            <CommandsButton request={{ operation: 'management_listInstalledProjects' }} />
            {button}
          </>
        }
      />
      <AdminTabs current="projects" />
      {projects.length === 0 ? (
        <Empty title={w.none} text={p.noneText} action={button} command={p.noneCommand} />
      ) : (
        <FilteredList
          caption={w.caption}
          filter={w.filter}
          filterHint={w.filterHint}
          rows={projects}
          columns={columns}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          textsOf={textsOf}
          defaultSort="name"
          menu={menu}
        />
      )}
      {open && <Dialogs open={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function useMenu(reason: string | undefined, setOpen: (open: Open) => void) {
  const go = useGo()
  const { data: own = [] } = useQuery(projectsQuery)
  const mayOpen = new Set(own.flatMap(({ id, role }) => (role === null ? [] : id)))
  return (project: InstalledProject): readonly MenuEntry[] => {
    const left = holdings(project.resources)
    return [
      {
        key: 'open',
        label: w.open,
        icon: 'arrow',
        reason: mayOpen.has(project.id) ? undefined : w.notMember,
        onSelect: () => void go(projectLink(project.id)),
      },
      {
        key: 'join',
        label: project.owner ? w.join : w.own,
        icon: 'people',
        reason: reason ?? (project.owner && mayOpen.has(project.id) ? w.isMember : undefined),
        onSelect: () => setOpen({ kind: 'join', project }),
      },
      { key: 'limits', label: w.change, reason, onSelect: () => setOpen({ kind: 'limits', project }) },
      {
        key: 'copy',
        label: c.copyId,
        icon: 'copy',
        onSelect: () => copyAway(String(project.id)),
      },
      'line',
      {
        key: 'delete',
        label: w.delete,
        icon: 'trash',
        isBad: true,
        reason: reason ?? (left ? w.left(left) : undefined),
        onSelect: () => setOpen({ kind: 'delete', project }),
      },
    ]
  }
}

function Dialogs({ open, onClose }: { readonly open: Open; readonly onClose: () => void }) {
  const outdate = useOutdate()
  const refresh = () => outdate('management')
  if (open.kind === 'new') return <NewProject onCreated={refresh} onClose={onClose} />
  if (open.kind === 'limits') return <LimitsDialog project={open.project} onClose={onClose} />
  const { id, name } = open.project
  if (open.kind === 'join') return <Join project={open.project} onJoined={refresh} onClose={onClose} />
  return (
    <ConfirmRequest
      title={w.deleteTitle(name)}
      text={w.deleteText}
      act={w.delete}
      word={name}
      request={{ operation: 'management_deleteInstalledProject', params: { project_id: id } }}
      families={[]}
      done={refresh}
      onClose={onClose}
    />
  )
}

interface JoinProps {
  readonly project: InstalledProject
  readonly onJoined: () => Promise<void>
  readonly onClose: () => void
}

/** Asks before somebody enters a Project of others, whose owner is told, or takes one that nobody owns. */
function Join({ project: { id, name, owner }, onJoined, onClose }: JoinProps) {
  const { data: { whoami } = {} } = useQuery(whoamiQuery)
  const body = { person_id: whoami?.id ?? 0, role: owner ? 'admin' : 'owner' } as const
  return (
    <ConfirmRequest
      title={owner ? w.joinTitle(name) : w.ownTitle(name)}
      text={owner ? w.joinText : w.ownText}
      act={owner ? w.join : w.own}
      keep={w.joinNot}
      request={{ operation: 'management_addMember', params: { project_id: id }, body }}
      families={[]}
      done={onJoined}
      onClose={onClose}
    />
  )
}

const textsOf = ({ name, owner, owner_email: email }: InstalledProject) => [
  name,
  owner?.name ?? '',
  owner?.email ?? '',
  email ?? '',
]

const columns: readonly Column<InstalledProject>[] = [
  {
    key: 'name',
    label: w.project,
    card: 'key',
    sort: ({ name }) => name,
    cell: ({ id, name }) => (
      <>
        <span className={nameClass}>{name}</span>
        <small className="mono">{id}</small>
      </>
    ),
  },
  {
    key: 'owner',
    label: w.owner,
    card: 'sub',
    sort: ({ owner }) => owner?.email ?? '',
    cell: ({ owner, owner_email: email }) => (
      <>
        {owner ? owner.name || owner.email : <span className="faint">{w.noOwner}</span>}
        {email && <small>{w.mailTo(email)}</small>}
      </>
    ),
  },
  {
    key: 'members',
    label: w.members,
    rank: 2,
    isEnd: true,
    sort: ({ members }) => members,
    cell: ({ members }) => number(members),
  },
  {
    key: 'holds',
    label: w.holds,
    card: 'stat',
    sort: ({ resources }) => Object.values(resources).reduce((sum, count) => sum + count, 0),
    cell: (project) => holdings(project.resources) || <span className="faint">{w.nothing}</span>,
  },
  { key: 'limits', label: w.limits, rank: 2, cell: (project) => <Limits project={project} /> },
  {
    key: 'created',
    label: w.created,
    rank: 3,
    isEnd: true,
    isNarrow: true,
    sort: ({ created }) => created,
    cell: ({ created }) => <Ago time={created} />,
  },
]

function Limits({ project: { limits } }: { readonly project: InstalledProject }) {
  const full = limits.filter(({ limit, used }) => limit !== null && limit > 0 && used !== null && used >= limit)
  const own = limits.filter((limit) => limit.own).length
  return (
    <>
      {own === 0 ? <span className="dim">{w.standard}</span> : w.ownLimits(own)}
      {full.length > 0 && (
        <small>
          <State mood="warn">{w.full(kindNames(full.map(({ kind }) => kind)))}</State>
        </small>
      )}
    </>
  )
}
