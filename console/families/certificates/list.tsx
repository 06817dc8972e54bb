/** The certificates of a Project by the day they end. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Link } from '../../ui/link.tsx'
import { Note } from '../../ui/note.tsx'
import { Seg } from '../../ui/seg.tsx'
import { type Mood, Sign, State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { date } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import { certificateActs, useRetry } from './acts.ts'
import { type Certificate, failureOf, isRetryable, outlookOf } from './certificate.ts'
import styles from './certificates.module.css'
import { lifetimeOf } from './lifetime.ts'
import type { CertificatesSearch } from './search.ts'
import { AxisHead, axisFor, Legend, Span } from './timeline.tsx'
import { certificates as w } from './words.ts'

const textsOf = ({ name, domain_names: names }: Certificate) => [name, ...names]
const needsYou = (certificate: Certificate) => ['bad', 'warn'].includes(outlookOf(certificate).mood)

export function CertificatesPage() {
  const api = useApi()
  const { data: certificates, dataUpdatedAt } = useSuspenseQuery(api.list('certificates_list', {}))
  const acts = useResourceActs(certificateActs)
  const retry = useRetry()
  const mayCreate = useReason('certificates_create')
  const mayRetry = useReason('certificates_retry')
  const { view } = useSearch({ strict: false }) as CertificatesSearch
  const columns = useMemo(
    () => (view === 'table' ? tableColumns() : timelineColumns(certificates)),
    [view, certificates],
  )
  return (
    <ListPage
      family="certificates"
      words={w}
      rows={certificates}
      updatedAt={dataUpdatedAt}
      columns={columns}
      defaultSort="state"
      textsOf={textsOf}
      facts={<Summary certificates={certificates} />}
      above={<Failures certificates={certificates} />}
      grouping={{
        label: r.status,
        of: (certificate) => (needsYou(certificate) ? 'attention' : 'fine'),
        options: [{ value: 'attention', label: w.needsYou }],
      }}
      primary={{ label: w.create, reason: mayCreate, link: linkTo('certificates', 'create') }}
      actions={<UploadLink reason={mayCreate} />}
      toolsEnd={<Views />}
      commands={[
        { label: w.list, request: { operation: 'certificates_list' } },
        {
          label: w.create,
          request: {
            operation: 'certificates_create',
            body: { name: 'www', type: 'managed', domain_names: ['www.example.com'] },
          },
        },
        { label: w.retry, request: { operation: 'certificates_retry', params: { id: certificates[0]?.id ?? 1 } } },
      ]}
      menu={(certificate) =>
        acts.menu(
          certificate,
          certificate.type === 'managed'
            ? [
                {
                  key: 'retry',
                  label: w.retry,
                  icon: 'refresh',
                  reason: mayRetry ?? (isRetryable(certificate) ? undefined : w.nothingFailed),
                  onSelect: () => void retry(certificate),
                },
              ]
            : [],
        )
      }
    >
      {view !== 'table' && certificates.length > 0 && <Legend />}
      {acts.dialogs}
    </ListPage>
  )
}

function UploadLink({ reason }: { readonly reason: string | undefined }) {
  return (
    <ButtonLink {...linkTo('certificates', 'upload')} icon="upload" reason={reason}>
      {w.upload}
    </ButtonLink>
  )
}

/** Counts certificates by state, worst first. */
function Summary({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const moods: readonly Mood[] = ['bad', 'warn', 'busy', 'ok']
  const counts = Map.groupBy(certificates, (certificate) => outlookOf(certificate).mood)
  return moods.map((mood) => {
    const count = counts.get(mood)?.length ?? 0
    if (count === 0) return null
    return (
      <span key={mood}>
        <Sign mood={mood} />
        {w.moods[mood as keyof typeof w.moods](count)}
      </span>
    )
  })
}

/** Lists what was not issued or renewed, and why. */
function Failures({ certificates }: { readonly certificates: readonly Certificate[] }) {
  const failed = certificates.filter((one) => failureOf(one) !== undefined && isRetryable(one))
  if (failed.length === 0) return null
  return (
    <div className="stack">
      {failed.slice(0, 3).map((certificate) => (
        <Note key={certificate.id} mood="bad">
          <b>
            {certificate.status?.issuance === 'failed'
              ? w.cannotIssue(certificate.name)
              : w.cannotRenew(certificate.name)}
          </b>{' '}
          {failureOf(certificate)?.text}{' '}
          <Link {...linkTo('certificates', 'one', { id: certificate.id })}>{w.look}</Link>{' '}
          <span className="faint mono">{failureOf(certificate)?.code}</span>
        </Note>
      ))}
      {failed.length > 3 && <p className="faint">{w.moreFailures(failed.length - 3)}</p>}
    </div>
  )
}

function Views() {
  const { view } = useSearch({ strict: false }) as CertificatesSearch
  const navigate = useNavigate()
  return (
    <Seg
      label={w.view}
      value={view ?? 'timeline'}
      options={[
        { value: 'timeline', label: w.timeline },
        { value: 'table', label: w.table },
      ]}
      onChange={(next) =>
        void navigate({
          to: '.',
          search: ((old: CertificatesSearch) => ({ ...old, view: next === 'table' ? next : undefined })) as never,
          replace: true,
        })
      }
    />
  )
}

// ---- Columns ---------------------------------------------------------------------------------------------------------

const nameColumn: Column<Certificate> = {
  key: 'name',
  label: w.names,
  card: 'key',
  sort: ({ name }) => name,
  cell: ({ id, name, type, domain_names: names }) => (
    <NameCell
      name={name}
      link={linkTo('certificates', 'one', { id })}
      small={`${w.types[type]}${names[0] && names[0] !== name ? ` · ${names[0]}` : ''}${names.length > 1 ? ` +${names.length - 1}` : ''}`}
    />
  ),
}

const stateColumn: Column<Certificate> = {
  key: 'state',
  label: r.status,
  card: 'stat',
  sort: (certificate) => lifetimeOf(certificate)?.until ?? 0,
  cell: (certificate) => {
    const { mood, text, next } = outlookOf(certificate)
    return (
      <>
        <State mood={mood}>{text}</State>
        {next && <small>{next}</small>}
      </>
    )
  },
}

const usedColumn: Column<Certificate> = {
  key: 'used',
  label: r.usedBy,
  isEnd: true,
  isNarrow: true,
  rank: 3,
  cell: ({ used_by: users }) =>
    users.length === 0 ? <span className="faint">{r.nothing}</span> : w.balancers(users.length),
}

function timelineColumns(certificates: readonly Certificate[]): readonly Column<Certificate>[] {
  const axis = axisFor(certificates.map(lifetimeOf))
  return [
    nameColumn,
    stateColumn,
    {
      key: 'time',
      label: w.lifetime,
      card: 'sub',
      className: styles.time,
      head: <AxisHead axis={axis} />,
      cell: (certificate) => <Span certificate={certificate} axis={axis} />,
    },
    usedColumn,
  ]
}

function tableColumns(): readonly Column<Certificate>[] {
  const day = (time: string | null) =>
    time === null ? <None /> : date(time, { day: 'numeric', month: 'short', year: 'numeric' })
  return [
    nameColumn,
    stateColumn,
    {
      key: 'from',
      label: w.from,
      rank: 2,
      isNarrow: true,
      sort: (one) => lifetimeOf(one)?.from ?? 0,
      cell: (one) => day(one.not_valid_before),
    },
    {
      key: 'until',
      label: w.until,
      isNarrow: true,
      sort: (one) => lifetimeOf(one)?.until ?? 0,
      cell: (one) => day(one.not_valid_after),
    },
    { ...usedColumn, rank: 2, isEnd: false },
    { ...labelsColumn<Certificate>(), label: c.labels },
    ageColumn(),
  ]
}
