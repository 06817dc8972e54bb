/** The report of a lab: whether its clients are well behaved, and what they did. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { lackOf, projectsQuery, whoamiQuery } from '../../api/session.ts'
import { useOutdate } from '../../api/use-outdate.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { useReason } from '../../shell/may.ts'
import { MissingLater } from '../../shell/states-later.tsx'
import { BoxField } from '../../ui/box-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { tellFailure } from '../../ui/failure.tsx'
import { DotsMenu, MenuOf } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { useSubmit } from '../../ui/use-submit.ts'
import { common as c } from '../../words/common.ts'
import { timeOfDay } from '../../words/format.ts'
import { report as w } from '../../words/report.ts'
import { PickSelect } from '../activity/pick-select.tsx'
import { AdminTabs } from '../admin/frame.tsx'
import { Findings } from './findings.tsx'
import { amountIn, api, type ReportSearch, type Run, reportQuery, reportSearch, requestOf } from './report-data.ts'
import { type AboutRun, ReportDialogs } from './report-dialogs.tsx'
import { download, fileKinds } from './report-files.ts'
import { Verdict } from './verdict.tsx'

const everyMs = 5_000

type Change = (next: ReportSearch) => void

export function ReportPage() {
  const search = reportSearch(useSearch({ strict: false }))
  const { data } = useSuspenseQuery({ ...api.query('lab_listRuns', {}), refetchInterval: everyMs })
  const navigate = useNavigate()
  const change: Change = (next) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, ...next }), replace: true } as never)
  const run = data.runs.find(({ id }) => id === search.run)
  if (search.run !== undefined && !run)
    return <MissingLater back={{ label: w.whole, link: { to: '/admin/{-$tab}', params: { tab: 'report' } } }} />
  return <Told runs={data.runs} run={run} search={search} change={change} />
}

interface ToldProps {
  readonly runs: readonly Run[]
  /** Undefined for the whole life of the server. */
  readonly run: Run | undefined
  readonly search: ReportSearch
  readonly change: Change
}

function Told({ runs, run, search, change }: ToldProps) {
  const [asked, ask] = useState<AboutRun>()
  // What is there stays until the next report has come.
  const shown = reportSearch(JSON.parse(useDeferredValue(JSON.stringify(search))))
  const { data, dataUpdatedAt } = useSuspenseQuery({
    ...reportQuery(shown),
    refetchInterval: run?.ended ? false : everyMs,
  })
  const { report } = data
  const start = useReason('lab_startRun')
  return (
    <>
      <PageHead
        title={w.title}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(dataUpdatedAt))}</span>
            <CommandsButton request={requestOf(search)} />
            <Download search={search} name={report.run.name} />
            {run && (
              <DotsMenu
                label={c.actionsFor(run.name)}
                small={false}
                entries={() => [
                  {
                    key: 'forget',
                    label: w.forget,
                    icon: 'trash',
                    isBad: true,
                    reason: start,
                    onSelect: () => ask({ kind: 'forget', run }),
                  },
                ]}
              />
            )}
            {run && !run.ended ? (
              <EndRun run={run} reason={start} />
            ) : (
              <Button look="primary" icon="play" reason={start} onClick={() => ask({ kind: 'start' })}>
                {w.start}
              </Button>
            )}
          </>
        }
      />
      <AdminTabs current="report" />
      <Choices runs={runs} search={search} change={change} />
      {report.requests === 0 && report.leftovers.length === 0 ? (
        <Empty title={w.none} text={w.noneText} />
      ) : (
        <>
          <Verdict report={report} most={amountIn(shown.cost)} />
          <Findings report={report} />
        </>
      )}
      <ReportDialogs asked={asked} close={() => ask(undefined)} change={change} />
    </>
  )
}

function EndRun({ run: { id }, reason }: { readonly run: Run; readonly reason: string | undefined }) {
  const outdate = useOutdate()
  const { isBusy, run } = useSubmit()
  const end = () =>
    api
      .call('lab_endRun', { params: { id } })
      .catch((cause: unknown) => tellFailure(cause))
      .then(() => outdate('lab'))
  return (
    <Button look="primary" icon="check" reason={reason} isBusy={isBusy} onClick={() => void run(end)}>
      {w.end}
    </Button>
  )
}

function Download({ search, name }: { readonly search: ReportSearch; readonly name: string }) {
  const entries = () =>
    fileKinds.map((kind) => ({
      key: kind,
      label: w.files[kind],
      onSelect: () => void download(kind, search, name).catch((cause: unknown) => tellFailure(cause)),
    }))
  return (
    <MenuOf label={w.download} entries={entries} align="end">
      {(button) => (
        <Button look="quiet" icon="download" {...button}>
          {w.download}
        </Button>
      )}
    </MenuOf>
  )
}

function Choices({ runs, search, change }: Omit<ToldProps, 'run'>) {
  const { data: projects = [] } = useQuery(api.list('management_listInstalledProjects', {}))
  const idIn = (value: string) => (value === '' ? undefined : Number(value))
  const wholeFirst = [
    { value: '', label: w.whole },
    ...runs.toReversed().map(({ id, name, ended }) => ({ value: String(id), label: ended ? name : w.goesOn(name) })),
  ]
  const allFirst = [
    { value: '', label: w.allProjects },
    ...projects.map(({ id, name }) => ({ value: String(id), label: name })),
  ]
  const { run, project, token, cost } = search
  return (
    <div className="row wrap">
      <PickSelect
        label={w.run}
        value={String(run ?? '')}
        options={wholeFirst}
        onChange={(id) => change({ run: idIn(id) })}
      />
      <PickSelect
        label={w.project}
        value={String(project ?? '')}
        options={allFirst}
        onChange={(id) => change({ project: idIn(id), token: undefined })}
      />
      {(project !== undefined || token !== undefined) && (
        <PickToken project={project} token={token} onChange={(id) => change({ token: idIn(id) })} />
      )}
      <BoxField
        icon="filter"
        label={w.mostCost}
        placeholder={w.mostCostHint}
        inputMode="decimal"
        value={cost ?? ''}
        problem={cost !== undefined && amountIn(cost) === undefined ? w.costProblem : undefined}
        onChange={(cost) => change({ cost: cost === '' ? undefined : cost })}
      />
    </div>
  )
}

interface PickTokenProps {
  readonly project: number | undefined
  readonly token: number | undefined
  readonly onChange: (id: string) => void
}

/** The tokens of a Project, for who may see them; of others it shows the one that is chosen. */
function PickToken({ project, token, onChange }: PickTokenProps): ReactNode {
  const { data: own } = useQuery(projectsQuery)
  const { data: { whoami } = {} } = useQuery(whoamiQuery)
  const joined = own?.find(({ id, role }) => id === project && role !== null)
  const { data } = useQuery({
    ...api.query('management_listTokens', { params: { project_id: project ?? 0 } }),
    enabled: joined !== undefined && lackOf('management_listTokens', joined, whoami) === undefined,
  })
  const tokens = (data?.tokens ?? []).map(({ id, name }) => ({ value: String(id), label: name }))
  const isKnown = token === undefined || tokens.some(({ value }) => value === String(token))
  const chosen = isKnown ? [] : [{ value: String(token), label: w.tokenOf(token) }]
  return (
    <PickSelect
      label={w.token}
      value={String(token ?? '')}
      options={[{ value: '', label: w.allTokens }, ...tokens, ...chosen]}
      onChange={onChange}
    />
  )
}
