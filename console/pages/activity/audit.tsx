/** The audit log of a Project or of the whole installation: who did what, from where, and how it ended. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useDeferredValue, useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import type { AnyRequest } from '../../api/operations.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { BoxField } from '../../ui/box-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FailureNote } from '../../ui/failure.tsx'
import { FilterBox } from '../../ui/filter-box.tsx'
import { Link, type Target } from '../../ui/link.tsx'
import { Breakable, PageHead } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Seg } from '../../ui/seg.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, nameClass, Table, Tools } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.ts'
import { useSubmit } from '../../ui/use-submit.ts'
import { activity as w } from '../../words/activity.ts'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import styles from './activity.module.css'
import { type AuditEntry, actorOf } from './actor.ts'
import { auditCsv } from './audit-csv.ts'
import { Feed } from './feed.tsx'
import { PickSelect } from './pick-select.tsx'
import { type AuditSearch, auditSearch, outcomes, sinces } from './search.ts'
import { sinceTime } from './since.ts'
import { usePages } from './use-pages.ts'

const a = w.audit
const AuditSheet = lazy(async () => ({ default: (await import('./audit-sheet.tsx')).AuditSheet }))

/** `tabs` stand below the heading where the page is one of several. */
export function AuditPage({ tabs }: { readonly tabs?: ReactNode }) {
  const api = useApi()
  const search = auditSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: AuditSearch) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, ...next }), replace: true } as never)
  const { entry: _, ...filter } = search
  const asked = useDeferredValue(JSON.stringify(filter))
  const query = useMemo(() => queryOf(JSON.parse(asked) as AuditSearch), [asked])
  const params = { project_id: api.project ?? 0 }
  const isOfProject = api.project !== undefined
  const ofProject = usePages(api, 'audit_list', { params, query }, isOfProject)
  const ofAll = usePages(api, 'audit_listAll', { query }, !isOfProject)
  const log = isOfProject ? ofProject : ofAll
  const entries = log.reply?.audit ?? []
  const isFiltered = Object.keys(search).some((name) => name !== 'entry')
  const open = entries.find(({ id }) => id === search.entry)
  const request: AnyRequest = isOfProject
    ? { operation: 'audit_list', params, query }
    : { operation: 'audit_listAll', query }
  const file = useSubmit()
  const exportFile = async () => {
    const { text, cutAt } = await auditCsv(api.project, request)
    saveFile(cutAt === undefined ? 'audit.csv' : `audit-newest-${cutAt}.csv`, text, 'text/csv')
    if (cutAt !== undefined) toast({ mood: 'bad', title: a.isCut(number(cutAt)), text: a.isCutText })
  }
  return (
    <>
      <PageHead
        title={isOfProject ? a.title : a.everywhere}
        actions={
          <>
            <CommandsButton request={request} />
            <Button look="quiet" icon="download" isBusy={file.isBusy} onClick={() => void file.run(exportFile)}>
              {w.export}
            </Button>
          </>
        }
      />
      {tabs}
      {file.cause !== undefined && <FailureNote cause={file.cause} />}
      <Feed
        pages={log}
        read={entries.length}
        count={entries.length}
        isFiltered={isFiltered}
        onClear={() => void navigate({ to: '.', search: {}, replace: true } as never)}
        empty={<Empty title={a.none} text={a.noneText} />}
        filters={<Filters search={search} change={change} />}
      >
        <Table
          caption={a.caption}
          columns={isOfProject ? columns : [...columns.slice(0, 2), projectColumn, ...columns.slice(2)]}
          rows={entries}
          idOf={({ id }) => id}
          nameOf={({ operation }) => operation}
        />
      </Feed>
      {open && (
        <Suspense>
          <AuditSheet entry={open} onClose={() => change({ entry: undefined })} />
        </Suspense>
      )}
      <p className="vh" role="status">
        {c.updated(String(entries.length))}
      </p>
    </>
  )
}

function queryOf({ q, actor, outcome, since }: AuditSearch) {
  const from = sinceTime(since)
  return {
    ...(q ? { operation: q } : {}),
    ...(actor ? { actor } : {}),
    ...(outcome && outcome !== 'all' ? { outcome } : {}),
    ...(from ? { since: from } : {}),
  }
}

const projectColumn: Column<AuditEntry> = {
  key: 'project',
  label: a.project,
  rank: 2,
  cell: ({ project }) => project?.name ?? <None />,
}

const columns: readonly Column<AuditEntry>[] = [
  {
    key: 'operation',
    label: a.operation,
    card: 'key',
    cell: (entry) => <OpenLink entry={entry} />,
  },
  { key: 'actor', label: a.actor, card: 'sub', cell: (entry) => actorOf(entry) },
  { key: 'resources', label: a.resources, rank: 2, cell: ({ resources }) => resources.join(', ') || <None /> },
  {
    key: 'outcome',
    label: a.outcome,
    card: 'stat',
    cell: ({ outcome }) =>
      outcome === 'ok' ? (
        <State mood="ok">{a.outcomes.ok}</State>
      ) : (
        <State mood="warn">
          <span className="mono">{outcome}</span>
        </State>
      ),
  },
  { key: 'network', label: a.network, rank: 2, isMono: true, cell: ({ network }) => network },
  {
    key: 'correlation',
    label: w.details.correlation,
    rank: 3,
    cell: ({ correlation_id: id }) => <Copyable text={id} />,
  },
  { key: 'time', label: a.time, card: 'time', isEnd: true, isNarrow: true, cell: ({ time }) => <Ago time={time} /> },
]

function OpenLink({ entry: { id, operation } }: { readonly entry: AuditEntry }) {
  return (
    <Link
      {...({ to: '.', search: (old: object) => ({ ...old, entry: id }) } as unknown as Target)}
      className={`${nameClass} mono ${styles.operation}`}
    >
      <Breakable text={operation} />
    </Link>
  )
}

function Filters({ search, change }: { readonly search: AuditSearch; readonly change: (next: AuditSearch) => void }) {
  return (
    <Tools>
      <FilterBox label={a.filter} hint={a.filterHint} value={search.q} onChange={(q) => change({ q })} />
      <BoxField
        icon="person"
        type="search"
        label={a.actor}
        placeholder={a.actorHint}
        value={search.actor ?? ''}
        onChange={(actor) => change({ actor: actor || undefined })}
      />
      <Seg
        label={a.outcome}
        value={search.outcome ?? 'all'}
        options={outcomes.map((value) => ({ value, label: a.outcomes[value] }))}
        onChange={(outcome) => change({ outcome: outcome === 'all' ? undefined : outcome })}
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
