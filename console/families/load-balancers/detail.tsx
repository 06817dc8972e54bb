/** One Load Balancer: what it is, its services, targets, network, measurements, activity, and its end. */
import { lazy, Suspense } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { MissingLater } from '../../shell/states-later.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Labels } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { balancerActs } from './balancer.ts'
import { entry } from './entry.ts'
import { HealthState } from './list.tsx'
import { balancers as w } from './words.ts'

const OverviewTab = lazy(async () => ({ default: (await import('./overview.tsx')).OverviewTab }))
const ServicesTab = lazy(async () => ({ default: (await import('./services.tsx')).ServicesTab }))
const TargetsTab = lazy(async () => ({ default: (await import('./targets.tsx')).TargetsTab }))
const NetworkTab = lazy(async () => ({ default: (await import('./network.tsx')).NetworkTab }))
const MetricsTab = lazy(async () => ({ default: (await import('./metrics.tsx')).MetricsTab }))
const ActivityTab = lazy(async () => ({ default: (await import('../../pages/shared/activity.tsx')).ActivityTab }))
const DangerTab = lazy(async () => ({ default: (await import('./danger.tsx')).DangerTab }))
const tabs = ['overview', 'services', 'targets', 'network', 'metrics', 'activity', 'danger'] as const

export function BalancerPage() {
  const { id, tab = 'overview' } = entry.routes.one.useParams()
  const api = useApi()
  const go = useGo()
  const { data, isGone } = useOne(api.query('load_balancers_get', { params: { id: Number(id) } }))
  const { load_balancer: balancer } = data
  const { name, labels, load_balancer_type: type, location } = balancer
  const current = tabs.find((one) => one === tab)
  const list = { label: w.title, link: linkTo('load_balancers', 'list') } as const
  const acts = useResourceActs(balancerActs, () => void go(list.link))
  const toTab = (key?: string) => linkTo('load_balancers', 'one', { id, tab: key })
  if (!current) return <MissingLater back={{ label: name, link: toTab() }} />
  const counts = { services: balancer.services.length, targets: balancer.targets.length }
  return (
    <>
      <PageHead
        title={name}
        crumbs={[list]}
        facts={
          <>
            <HealthState balancer={balancer} />
            <span>
              {type.name} · {location.name}
            </span>
            <Copyable text={id} label={c.copyId} />
            {Object.keys(labels).length > 0 && <Labels labels={labels} />}
          </>
        }
        actions={
          <>
            <CommandsButton request={{ operation: 'load_balancers_get', params: { id: Number(id) } }} />
            <DotsMenu small={false} label={c.actionsFor(name)} entries={() => acts.menu(balancer)} />
          </>
        }
      />
      {isGone && <GoneNote name={name} back={list} />}
      <Tabs
        label={w.one}
        current={current}
        tabs={tabs.map((key) => ({
          key,
          label: w.tabs[key],
          count: counts[key as keyof typeof counts],
          link: toTab(key),
        }))}
      />
      <Suspense fallback={<Skeleton />}>
        {current === 'overview' && <OverviewTab balancer={balancer} />}
        {current === 'services' && <ServicesTab balancer={balancer} />}
        {current === 'targets' && <TargetsTab balancer={balancer} />}
        {current === 'network' && <NetworkTab balancer={balancer} />}
        {current === 'metrics' && <MetricsTab id={balancer.id} />}
        {current === 'activity' && <ActivityTab operation="load_balancers_listActions" id={balancer.id} name={name} />}
        {current === 'danger' && (
          <DangerTab balancer={balancer} onRemove={() => acts.ask({ kind: 'delete', row: balancer })} />
        )}
      </Suspense>
      {acts.dialogs}
    </>
  )
}
