/** The activity of a Project: actions of all families, and the requests of its audit log, in one feed. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef } from 'react'
import { type Action as LiveAction, useActions } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import { useLack, useProject } from '../../api/session.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { capital, familyName } from '../../lib/api-names.ts'
import { toCsv } from '../../lib/csv.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBox } from '../../ui/filter-box.tsx'
import { Link } from '../../ui/link.tsx'
import { Breakable, PageHead } from '../../ui/page.tsx'
import { Progress } from '../../ui/progress.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Seg } from '../../ui/seg.tsx'
import { Sign } from '../../ui/state.tsx'
import { type Column, nameClass, Table, Tools, workClass } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { activity as w } from '../../words/activity.ts'
import { percent } from '../../words/format.ts'
import { type Entry, entryOfAction, entryOfRequest, merged, moods, typesIn } from './entries.ts'
import { Feed } from './feed.tsx'
import { useNames } from './names.ts'
import { PickSelect } from './pick-select.tsx'
import { type ActivitySearch, sinces, statuses, whats } from './search.ts'
import { sinceTime } from './since.ts'
import { startersIn } from './starter.ts'
import { tookOf } from './took.ts'
import { usePages } from './use-pages.ts'

const here = '/projects/$project/activity'
const EntrySheet = lazy(async () => ({ default: (await import('./entry-sheet.tsx')).EntrySheet }))

export function ActivityPage() {
  const project = useProject()
  const search = useSearch({ from: here })
  const navigate = useNavigate({ from: here })
  const feed = useFeed(useDeferredValue(search))
  const change = (next: ActivitySearch) => void navigate({ search: (old) => ({ ...old, ...next }), replace: true })
  const entries = useMemo(() => feed.entries.filter(filterOf(search)), [feed.entries, search])
  const open = feed.entries.find(({ key }) => key === search.entry)
  const isFiltered = Object.keys(search).some((name) => name !== 'entry')
  return (
    <>
      <PageHead
        title={w.title}
        actions={
          <>
            <CommandsButton request={feed.request} />
            <Button look="quiet" icon="download" onClick={() => saveFile(fileNameOf(feed), csvOf(entries), 'text/csv')}>
              {w.export}
            </Button>
          </>
        }
      />
      <Feed
        pages={feed}
        read={feed.entries.length}
        count={entries.length}
        isFiltered={isFiltered}
        onClear={() => void navigate({ search: {}, replace: true })}
        empty={<Empty title={w.none} text={w.noneText} command={w.noneCommand} />}
        filters={<Filters search={search} change={change} families={feed.families} hasRequests={feed.hasRequests} />}
      >
        <Table
          caption={w.caption(project?.name ?? '')}
          columns={columns}
          rows={entries}
          idOf={({ key, id }) => (key.startsWith('action') ? id : -id)}
          nameOf={({ title }) => title}
        />
      </Feed>
      {open && (
        <Suspense>
          <EntrySheet entry={open} onClose={() => change({ entry: undefined })} />
        </Suspense>
      )}
    </>
  )
}

/** Both feeds, as far as they were read. Requests are for those who may read the audit log. */
function useFeed({ status, what, since, family }: ActivitySearch) {
  const api = useApi()
  const params = { project_id: api.project ?? 0 }
  const mayAudit = useLack('audit_list') === undefined
  const from = useMemo(() => sinceTime(since), [since])
  const query = { ...(family ? { family } : {}), ...(from ? { since: from } : {}) }
  const wantsActions = what !== 'requests'
  const wantsRequests = what !== 'actions' && status !== 'running' && mayAudit
  const actionsQuery = { ...query, ...(status && status !== 'all' ? { status } : {}) }
  const actions = usePages(api, 'audit_activity', { params, query: actionsQuery }, wantsActions)
  const outcome = status === 'error' ? { outcome: 'refused' } : {}
  const requests = usePages(api, 'audit_list', { params, query: { ...query, ...outcome } }, wantsRequests)
  const live = useActions(api.project)
  useFreshness(live)
  const nameOf = useNames(typesIn(actions.reply?.activity ?? [], requests.reply?.audit ?? []))
  const entries = useMemo(() => {
    const running = new Map(live.map((action) => [action.id, action]))
    const [activity, log] = [actions.reply?.activity ?? [], requests.reply?.audit ?? []]
    const starters = startersIn(log)
    const ofActions = activity.map((action) =>
      entryOfAction({ ...action, ...progressOf(running.get(action.id)) }, nameOf, starters.get(action.id)),
    )
    // What somebody did is one line: a request is not told again beside the action that it started.
    const told = new Set(activity.map(({ id }) => starters.get(id)))
    const ofRequests = log.filter((entry) => !told.has(entry)).map((entry) => entryOfRequest(entry, nameOf))
    return merged([
      { entries: ofActions, hasMore: actions.hasMore },
      { entries: ofRequests, hasMore: requests.hasMore },
    ])
  }, [actions.reply, requests.reply, actions.hasMore, requests.hasMore, live, nameOf])
  const families = [...new Set(entries.map((entry) => entry.family))].sort()
  return {
    entries,
    families: family && !families.includes(family) ? [...families, family] : families,
    hasRequests: mayAudit,
    hasMore: actions.hasMore || requests.hasMore,
    isBusy: actions.isBusy || requests.isBusy,
    isLoading: actions.isLoading || requests.isLoading,
    more: () => {
      if (actions.hasMore) actions.more()
      if (requests.hasMore) requests.more()
    },
    request: { operation: 'audit_activity', params, query: actionsQuery } as const,
  }
}

/** Returns what the stream of events knows of an action; not when it began. */
function progressOf(live: LiveAction | undefined) {
  return live && { status: live.status, progress: live.progress }
}

/** Asks again when an action begins or ends. */
function useFreshness(live: readonly LiveAction[]): void {
  const outdate = useOutdate()
  const known = live.map(({ id, status }) => `${id} ${status}`).join()
  const before = useRef(known)
  useEffect(() => {
    if (before.current === known) return
    before.current = known
    void outdate('audit')
  }, [known, outdate])
}

function filterOf({ q }: ActivitySearch): (entry: Entry) => boolean {
  const wanted = q?.trim().toLowerCase()
  if (!wanted) return () => true
  return ({ id, title, by = '', resources, code = '', correlation = '' }) =>
    [String(id), title, by, code, correlation, ...resources].some((part) => part.toLowerCase().includes(wanted))
}

/** Says since when it is complete if older entries were not read. */
function fileNameOf({ entries, hasMore }: { readonly entries: readonly Entry[]; readonly hasMore: boolean }): string {
  const oldest = hasMore ? entries.at(-1)?.started : undefined
  return oldest ? `activity-since-${oldest.slice(0, 16).replace(':', '-')}.csv` : 'activity.csv'
}

function csvOf(entries: readonly Entry[]): string {
  const titles = [
    'kind',
    'id',
    'state',
    'action',
    'family',
    'resources',
    'by',
    'from',
    'started',
    'finished',
    'code',
    'correlation_id',
  ]
  return toCsv(
    titles,
    entries.map((one) => [
      ...[one.kind, one.id, one.state, one.title, one.family, one.resources.join(' '), one.by, one.from],
      ...[one.started, one.finished, one.code, one.correlation],
    ]),
  )
}

const columns: readonly Column<Entry>[] = [
  {
    key: 'action',
    label: w.action,
    card: 'key',
    cell: (entry) => (
      <span className="row">
        <Sign mood={moods[entry.state]} progress={entry.state === 'running' ? entry.progress : undefined} />
        <span className="vh">{w.states[entry.state]}</span>
        <span>
          <OpenLink entry={entry} />
          {entry.code && <small className="mono">{entry.code}</small>}
          {entry.state === 'running' && (
            <span className={workClass}>
              <Progress value={entry.progress} label={w.progress(entry.title)} />
            </span>
          )}
        </span>
      </span>
    ),
  },
  {
    key: 'resource',
    label: w.resource,
    card: 'sub',
    cell: ({ resources, family }) => resources.join(', ') || <span className="dim">{capital(familyName(family))}</span>,
  },
  { key: 'by', label: w.by, rank: 2, cell: ({ by }) => by ?? <None /> },
  {
    key: 'took',
    label: w.took,
    card: 'stat',
    isEnd: true,
    isNarrow: true,
    cell: (entry) => (
      <span className="dim">{entry.state === 'running' ? percent(entry.progress) : (tookOf(entry) ?? <None />)}</span>
    ),
  },
  { key: 'when', label: w.when, isEnd: true, isNarrow: true, cell: ({ started }) => <Ago time={started} /> },
]

function OpenLink({ entry }: { readonly entry: Entry }) {
  const search = useSearch({ from: here })
  return (
    <Link to={here} search={{ ...search, entry: entry.key }} className={nameClass}>
      {entry.kind === 'request' ? (
        <span className="mono">
          <Breakable text={entry.title} />
        </span>
      ) : (
        entry.title
      )}
    </Link>
  )
}

interface FiltersProps {
  readonly search: ActivitySearch
  readonly change: (next: ActivitySearch) => void
  readonly families: readonly string[]
  readonly hasRequests: boolean
}

function Filters({ search, change, families, hasRequests }: FiltersProps) {
  return (
    <Tools>
      <FilterBox label={w.filter} hint={w.filterHint} value={search.q} onChange={(q) => change({ q })} />
      <Seg
        label={w.status}
        value={search.status ?? 'all'}
        options={statuses.map((value) => ({ value, label: w.statuses[value] }))}
        onChange={(status) => change({ status: status === 'all' ? undefined : status })}
      />
      {hasRequests && (
        <PickSelect
          label={w.what}
          value={search.what ?? 'all'}
          options={whats.map((value) => ({ value, label: w.whats[value] }))}
          onChange={(what) => change({ what: what === 'all' ? undefined : what })}
        />
      )}
      <PickSelect
        label={w.family}
        value={search.family ?? ''}
        options={[
          { value: '', label: w.allFamilies },
          ...families.map((value) => ({ value, label: capital(familyName(value)) })),
        ]}
        onChange={(family) => change({ family: family || undefined })}
      />
      <PickSelect
        label={w.since}
        value={search.since ?? 'all'}
        options={sinces.map((value) => ({ value, label: w.sinces[value] }))}
        onChange={(since) => change({ since: since === 'all' ? undefined : since })}
      />
    </Tools>
  )
}
