/** The servers of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useRef, useState } from 'react'
import { useRunning } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import { useProject } from '../../api/session.ts'
import { useReason } from '../../shell/may.ts'
import { usePaletteActs } from '../../shell/palette-acts.ts'
import { BoxField } from '../../ui/box-field.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { PickedBar } from '../../ui/picked-bar.tsx'
import { Seg } from '../../ui/seg.tsx'
import { ListFrame, Table, Tools } from '../../ui/table.tsx'
import { useFilter } from '../../ui/use-filter.ts'
import { useList } from '../../ui/use-list.ts'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common } from '../../words/en/common.ts'
import { servers as english } from '../../words/en/servers.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { useServerActs } from './acts.tsx'
import { serverColumns } from './columns.tsx'
import { type Group, groups, type ServersSearch } from './search.ts'
import { groupOf, type Server, textsOf } from './server.ts'

const w = wordsOf('servers', english)
const c = wordsOf('common', common)
const route = getRouteApi('/projects/$project/servers')

export function ServersPage() {
  const api = useApi()
  const project = useProject()
  const { data: servers, dataUpdatedAt } = useSuspenseQuery(api.list('servers_list', {}))
  const reason = useReason('servers_create')
  const create = (
    <ButtonLink
      to="/projects/$project/servers/new"
      params={{ project: String(api.project) }}
      look="primary"
      icon="plus"
      reason={reason}
      keys="C"
    >
      {w.create}
    </ButtonLink>
  )
  const navigate = useNavigate()
  useShortcut(
    'create',
    reason
      ? undefined
      : () => void navigate({ to: '/projects/$project/servers/new', params: { project: String(api.project) } }),
  )
  return (
    <>
      <PageHead
        title={w.title}
        count={number(servers.length)}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(dataUpdatedAt))}</span>
            {create}
          </>
        }
      />
      {servers.length === 0 ? (
        <Empty title={w.none} text={w.noneText} action={create} command={w.noneCommand} />
      ) : (
        <ServerList servers={servers} caption={w.caption(project?.name ?? '')} />
      )}
    </>
  )
}

function ServerList({ servers, caption }: { readonly servers: readonly Server[]; readonly caption: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [picked, pick] = useState<ReadonlySet<number>>(new Set())
  const running = useRunning('server')
  const columns = useMemo(() => serverColumns(running), [running])
  const { keeps, problem } = useFilter<Server>(search.q ?? '', textsOf)
  const group = search.status ?? 'all'
  const list = useList({
    rows: servers,
    columns,
    search,
    defaultSort: 'name',
    keeps: (server) => keeps(server) && (group === 'all' || groupOf(server) === group),
  })
  const chosen = servers.filter(({ id }) => picked.has(id))
  const acts = useServerActs()
  const change = (next: ServersSearch) =>
    void navigate({ search: (old) => ({ ...old, page: undefined, ...next }), replace: true })
  usePaletteActs(() => acts.ofMany(chosen, () => pick(new Set())))
  return (
    <ListFrame>
      <Filters servers={servers} search={search} change={change} problem={problem} />
      {list.total === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => change({ q: undefined, status: undefined })}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : (
        <Table
          caption={caption}
          columns={columns}
          rows={list.shown}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          sorting={list.sorting}
          onSort={(sort) => change({ sort })}
          selection={{ ids: picked, change: pick }}
          menu={(server) => acts.menu(server, running(server.id))}
        />
      )}
      <Pager
        {...list}
        onPage={(page) => change({ page })}
        onEvery={list.isEvery ? undefined : () => change({ page: 0 })}
      />
      <PickedBar
        label={w.selection}
        count={chosen.length}
        acts={acts.ofMany(chosen, () => pick(new Set()))}
        onClear={() => pick(new Set())}
      />
      {acts.dialogs}
    </ListFrame>
  )
}

interface FiltersProps {
  readonly servers: readonly Server[]
  readonly search: ServersSearch
  readonly change: (next: ServersSearch) => void
  readonly problem: string | undefined
}

function Filters({ servers, search, change, problem }: FiltersProps) {
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  const count = (group: Group) => number(servers.filter((server) => groupOf(server) === group).length)
  const labels: Readonly<Record<Group, string>> = {
    all: w.all(number(servers.length)),
    running: w.running(count('running')),
    off: w.off(count('off')),
    attention: w.needsYou(count('attention')),
  }
  return (
    <Tools>
      <BoxField
        ref={box}
        icon="search"
        type="search"
        label={w.filter}
        placeholder={w.filterHint}
        hotkey="/"
        value={search.q ?? ''}
        problem={problem}
        onChange={(q) => change({ q: q || undefined })}
      />
      <Seg
        label={w.status}
        value={search.status ?? 'all'}
        options={groups.map((value) => ({ value, label: labels[value] }))}
        onChange={(status) => change({ status: status === 'all' ? undefined : status })}
      />
    </Tools>
  )
}
