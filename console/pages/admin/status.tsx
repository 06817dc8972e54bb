/** What runs, what waits for what and since when, and what a doctor says of the server: as wolke status and wolke doctor. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { capital, familyName } from '../../lib/api-names.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Button } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Mood, State } from '../../ui/state.tsx'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { status as w } from '../../words/status.ts'
import { AdminTabs } from './frame.tsx'

const api = apiOf(undefined)
const everyMs = 5_000

type Status = ReplyFor<'management_getStatus'>['status']
type Diagnosis = ReplyFor<'management_getDiagnoses'>['diagnoses'][number]
type OpenAction = Status['actions']['oldest'][number]
type Queue = Status['queues'][number]
type Process = Status['processes'][number]
type Job = NonNullable<Process['jobs']>[number]

export function StatusPage() {
  const { data, dataUpdatedAt } = useSuspenseQuery({
    ...api.query('management_getStatus', {}),
    refetchInterval: everyMs,
  })
  const { actions, queues, processes, mail } = data.status
  const jobs = processes.flatMap(({ jobs: some }) => some ?? [])
  const requests = [
    { label: w.title, request: { operation: 'management_getStatus' } },
    { label: w.doctor, request: { operation: 'management_getDiagnoses' } },
  ] as const
  return (
    <>
      <PageHead
        title={w.title}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(dataUpdatedAt))}</span>
            <CommandsButton requests={requests} />
          </>
        }
      />
      <AdminTabs current="status" />
      <Doctor />
      <Part title={`${w.actions} (${number(actions.total)})`}>
        {actions.oldest.length === 0 ? (
          <p className="dim">{w.noActions}</p>
        ) : (
          <Rows
            caption={w.actions}
            columns={actionColumns}
            rows={actions.oldest}
            nameOf={({ id, command }) => `${command} ${id}`}
          />
        )}
      </Part>
      {queues.length > 0 && (
        <Part title={w.queues}>
          <Rows caption={w.queues} columns={queueColumns} rows={queues} nameOf={({ project }) => project.name} />
        </Part>
      )}
      <Part title={w.processes}>
        <Rows caption={w.processes} columns={processColumns} rows={processes} nameOf={({ name }) => name} />
      </Part>
      <Part title={w.mail}>
        <p className="dim">
          {mail.oldest === null ? w.noMail : w.mailWaits(number(mail.waiting))}{' '}
          {mail.oldest !== null && <Ago time={mail.oldest} />}
        </p>
      </Part>
      <Part title={w.jobs}>
        <Rows caption={w.jobs} columns={jobColumns} rows={jobs} nameOf={({ name }) => name} />
      </Part>
    </>
  )
}

/** It is asked when the page is opened and when somebody wants it: it connects to much that is not the server. */
function Doctor() {
  const { data, isFetching, refetch, error } = useQuery({
    ...api.query('management_getDiagnoses', {}),
    throwOnError: true,
  })
  return (
    <section className="stack" aria-label={w.doctor}>
      <div className="row">
        <h2>{w.doctor}</h2>
        <Button isBusy={isFetching} onClick={() => void refetch()}>
          {w.again}
        </Button>
      </div>
      <p className="dim">{w.doctorText}</p>
      {data && !error ? (
        <Rows
          caption={w.doctor}
          columns={diagnosisColumns}
          rows={data.diagnoses.toSorted((one, other) => rank[one.verdict] - rank[other.verdict])}
          nameOf={({ check, subject }) => `${nameOfCheck(check)}: ${subject}`}
        />
      ) : (
        <Skeleton />
      )}
    </section>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}

interface RowsProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly nameOf: (row: Row) => string
}

/** Rows without ids of their own, which have their places instead. */
function Rows<Row extends object>({ caption, columns, rows, nameOf }: RowsProps<Row>) {
  const places = new Map(rows.map((row, place) => [row, place]))
  return (
    <ListFrame>
      <Table
        caption={caption}
        columns={columns}
        rows={rows}
        idOf={(row) => places.get(row) ?? 0}
        nameOf={nameOf}
        isTight
      />
    </ListFrame>
  )
}

const moods: Readonly<Record<Diagnosis['verdict'], Mood>> = {
  ok: 'ok',
  warning: 'warn',
  failure: 'bad',
  unknown: 'unknown',
}
/** Families look at themselves, under their names. */
const nameOfCheck = (check: string): string =>
  Object.hasOwn(w.checks, check) ? w.checks[check as keyof typeof w.checks] : capital(familyName(check))

/** The worst comes first. */
const rank: Readonly<Record<Diagnosis['verdict'], number>> = { failure: 0, warning: 1, unknown: 2, ok: 3 }

const diagnosisColumns: readonly Column<Diagnosis>[] = [
  {
    key: 'thing',
    label: w.thing,
    card: 'key',
    cell: ({ check, subject }) => (
      <>
        <span className={nameClass}>{nameOfCheck(check)}</span>
        <small lang="en">{subject}</small>
      </>
    ),
  },
  {
    key: 'verdict',
    label: w.verdict,
    card: 'stat',
    cell: ({ verdict }) => <State mood={moods[verdict]}>{w.verdicts[verdict]}</State>,
  },
  {
    key: 'seen',
    label: w.seen,
    card: 'sub',
    cell: ({ seen, advice }) => (
      <span lang="en">
        {seen}
        {advice !== null && <small>{advice}</small>}
      </span>
    ),
  },
]

function reasonOf({ waits_for: kind, step, behind }: OpenAction): string {
  return w.reasons[kind](kind === 'queue' ? String(behind?.action ?? '') : (step ?? ''))
}

const actionColumns: readonly Column<OpenAction>[] = [
  {
    key: 'action',
    label: w.action,
    card: 'key',
    cell: ({ id, command, resources }) => (
      <>
        <span className={nameClass}>{command}</span>
        <small>{[id, ...resources.map((one) => `${one.type} ${one.id}`)].join(' · ')}</small>
      </>
    ),
  },
  { key: 'project', label: w.project, rank: 2, cell: ({ project }) => project.name },
  {
    key: 'waits',
    label: w.waitsFor,
    card: 'sub',
    cell: (action) => (
      <>
        {reasonOf(action)}
        {action.until !== null && <small>{w.until(timeOfDay(Date.parse(action.until)))}</small>}
      </>
    ),
  },
  { key: 'since', label: w.since, isEnd: true, isNarrow: true, cell: ({ started }) => <Ago time={started} /> },
]

const queueColumns: readonly Column<Queue>[] = [
  {
    key: 'project',
    label: w.project,
    card: 'key',
    cell: ({ project }) => <span className={nameClass}>{project.name}</span>,
  },
  { key: 'running', label: w.running, card: 'stat', isEnd: true, cell: ({ actions }) => number(actions) },
  { key: 'held', label: w.held, isEnd: true, cell: ({ held }) => number(held) },
  { key: 'oldest', label: w.oldest, isEnd: true, isNarrow: true, cell: ({ oldest }) => <Ago time={oldest} /> },
]

const processColumns: readonly Column<Process>[] = [
  { key: 'process', label: w.process, card: 'key', cell: ({ name }) => <span className={nameClass}>{name}</span> },
  { key: 'version', label: w.version, rank: 2, cell: ({ version }) => version ?? <None /> },
  {
    key: 'connections',
    label: w.connections,
    rank: 2,
    isEnd: true,
    cell: ({ connections }) => (connections === null ? <None /> : number(connections)),
  },
  {
    key: 'jobs',
    label: w.failedJobs,
    card: 'stat',
    cell: ({ jobs }) =>
      jobs
        ?.filter(({ failed }) => failed)
        .map(({ name }) => name)
        .join(', ') || <None />,
  },
  {
    key: 'started',
    label: w.started,
    isEnd: true,
    isNarrow: true,
    cell: ({ started }) => (started ? <Ago time={started} /> : <None />),
  },
]

const jobColumns: readonly Column<Job>[] = [
  { key: 'job', label: w.job, card: 'key', cell: ({ name }) => <span className={nameClass}>{name}</span> },
  {
    key: 'last',
    label: w.last,
    card: 'stat',
    cell: ({ last_run: last, failed }) =>
      last === null ? (
        <None />
      ) : (
        <State mood={failed ? 'bad' : 'ok'}>
          <Ago time={last} />
        </State>
      ),
  },
  {
    key: 'next',
    label: w.next,
    isEnd: true,
    isNarrow: true,
    cell: ({ next_run: next }) => (next === null ? <None /> : timeOfDay(Date.parse(next))),
  },
]
