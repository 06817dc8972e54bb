/** The forecast of a Project: what is, and what comes. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useApi } from '../../api/api.ts'
import { useProject } from '../../api/session.ts'
import { groupOf, type Server } from '../../families/servers/server.ts'
import { servers as s } from '../../families/servers/words.ts'
import { linkTo } from '../../families.ts'
import { useReason } from '../../shell/may.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CommandLine } from '../../ui/copy.tsx'
import { EndpointsLater } from '../../ui/copy-later.tsx'
import { Link } from '../../ui/link.tsx'
import pageStyles from '../../ui/page.module.css'
import { Columns, PageHead, useTitle } from '../../ui/page.tsx'
import { Sign } from '../../ui/state.tsx'
import { date } from '../../words/format.ts'
import { overview as w } from '../../words/overview.ts'
import { ActivityCard, SkyCard, WeekCard } from './cards.tsx'
import { comingDays } from './forecast.ts'
import styles from './overview.module.css'

const CostCard = lazy(async () => ({ default: (await import('./cost.tsx')).CostCard }))
const NeedsLine = lazy(async () => ({ default: (await import('./needs.tsx')).NeedsLine }))
const NeedsCard = lazy(async () => ({ default: (await import('./needs.tsx')).NeedsCard }))

export function OverviewPage() {
  const api = useApi()
  const project = useProject()
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  if (servers.length === 0)
    return (
      <>
        <Beginning title={w.title(project?.name ?? '')} />
        <Suspense>
          <NeedsCard />
        </Suspense>
      </>
    )
  return <Forecast title={w.title(project?.name ?? '')} servers={servers} />
}

function Beginning({ title }: { readonly title: string }) {
  const reason = useReason('servers_create')
  return (
    <>
      <PageHead
        title={title}
        actions={
          <ButtonLink {...linkTo('servers', 'create')} look="primary" icon="plus" reason={reason}>
            {s.create}
          </ButtonLink>
        }
      />
      <Card title={w.begin} padded>
        <p className="dim">{w.emptyText}</p>
        <ol className={styles.begin}>
          <li>
            {w.point}
            <EndpointsLater />
          </li>
          {w.steps.map(({ label, command }) => (
            <li key={command}>
              {label}
              <CommandLine text={command} />
            </li>
          ))}
        </ol>
      </Card>
    </>
  )
}

function Forecast({ title, servers }: { readonly title: string; readonly servers: readonly Server[] }) {
  const api = useApi()
  const { data: known } = useQuery(api.list('certificates_list', {}))
  const certificates = known ?? []
  const coming = comingDays(certificates, servers, Date.now())
  useTitle(title)
  const running = servers.filter((server) => groupOf(server) === 'running').length
  const ending = coming
    .flatMap((day) => day.coming)
    .filter((one) => one.kind === 'certificate' && one.what === 'ends').length
  return (
    <>
      <div className={pageStyles['page-head']}>
        <div className={pageStyles.forecast}>
          <h1 className="vh" tabIndex={-1}>
            {title}
          </h1>
          <Sign mood="busy" progress={Math.round((running / servers.length) * 100)} className="big" />
          <p className={pageStyles.lead}>
            <Link {...linkTo('servers', 'list')}>{w.run(running, servers.length)}</Link>{' '}
            <Suspense>
              <NeedsLine ending={ending} />
            </Suspense>
          </p>
        </div>
        <p className="faint nw not-narrow end">
          {date(Date.now(), { weekday: 'long', day: 'numeric', month: 'long', hour: '2-digit', minute: '2-digit' })}
        </p>
      </div>
      <WeekCard coming={coming} />
      <Columns
        aside={
          <>
            <Suspense>
              <CostCard />
            </Suspense>
            <ActivityCard />
          </>
        }
      >
        <Suspense>
          <NeedsCard />
        </Suspense>
        <SkyCard servers={servers} />
      </Columns>
    </>
  )
}
