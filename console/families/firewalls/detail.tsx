/** One firewall: rules, what it is applied to, activity. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { usePlaces, useServers } from '../../pages/reach/places.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { useReason } from '../../shell/may.ts'
import { MissingLater } from '../../shell/states-later.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { State } from '../../ui/state.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Labels, Tag } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { resources as rw } from '../../words/resources.ts'
import { serverIdsOf } from './applied.ts'
import { entry } from './entry.ts'
import { type Firewall, firewallActs } from './firewall.ts'
import { RulesTab } from './rules.tsx'
import { firewalls as w } from './words.ts'

const ResourcesTab = lazy(async () => ({ default: (await import('./resources.tsx')).ResourcesTab }))
const ActivityTab = lazy(async () => ({ default: (await import('../../pages/shared/activity.tsx')).ActivityTab }))
const tabs = ['rules', 'resources', 'activity'] as const

export function FirewallPage() {
  const { id, tab = 'rules' } = entry.routes.one.useParams()
  const api = useApi()
  const go = useGo()
  const { data, isGone } = useOne(api.query('firewalls_get', { params: { id: Number(id) } }))
  const { data: firewalls } = useSuspenseQuery(api.list('firewalls_list', {}))
  const places = usePlaces(useServers())
  const { firewall } = data
  const { name } = firewall
  const current = tabs.find((one) => one === tab)
  const mayCreate = useReason('firewalls_create')
  const list = { label: w.title, link: linkTo('firewalls', 'list') } as const
  const acts = useResourceActs(firewallActs, () => void go(list.link))
  const toTab = (key?: string) => linkTo('firewalls', 'one', { id, tab: key })
  if (!current) return <MissingLater back={{ label: name, link: toTab() }} />
  const counts = { rules: firewall.rules.length, resources: serverIdsOf(firewall).length, activity: undefined }
  return (
    <>
      <PageHead
        title={name}
        crumbs={[list]}
        facts={<Facts firewall={firewall} names={new Map(places.servers.map((one) => [one.id, one.name]))} />}
        actions={
          <>
            <ButtonLink
              look="quiet"
              icon="copy"
              reason={mayCreate}
              {...linkTo('firewalls', 'create')}
              search={{ from: firewall.id }}
            >
              {w.clone}
            </ButtonLink>
            <CommandsButton request={{ operation: 'firewalls_get', params: { id: Number(id) } }} />
            <DotsMenu small={false} label={c.actionsFor(name)} entries={() => acts.menu(firewall)} />
          </>
        }
      />
      {isGone && <GoneNote name={name} back={list} />}
      <Tabs
        label={w.one}
        current={current}
        tabs={tabs.map((key) => ({
          key,
          label: key === 'activity' ? rw.activity : w.tabs[key],
          count: counts[key],
          link: toTab(key),
        }))}
      />
      {current === 'rules' && <RulesTab key={id} {...{ firewall, firewalls, places, isGone }} />}
      <Suspense fallback={<Skeleton />}>
        {current === 'resources' && <ResourcesTab key={id} firewall={firewall} servers={places.servers} />}
        {current === 'activity' && <ActivityTab operation="firewalls_listActions" id={firewall.id} name={name} />}
      </Suspense>
      {acts.dialogs}
    </>
  )
}

interface FactsProps {
  readonly firewall: Firewall
  readonly names: ReadonlyMap<number, string>
}

function Facts({ firewall, names }: FactsProps) {
  const { id, applied_to, labels } = firewall
  const count = serverIdsOf(firewall).length
  return (
    <>
      <State mood={count > 0 ? 'ok' : 'off'}>
        {applied_to.length === 0 ? w.appliedNowhere : w.appliedTo}
        {applied_to
          .slice(0, 4)
          .map(({ server, label_selector }) =>
            server ? (
              <span key={server.id}>{names.get(server.id) ?? server.id}</span>
            ) : (
              <Tag key={label_selector?.selector}>{label_selector?.selector}</Tag>
            ),
          )}
        {applied_to.length > 4 && <span className="faint">{w.moreTargets(applied_to.length - 4)}</span>}
      </State>
      <Copyable text={String(id)} label={c.copyId} />
      {Object.keys(labels).length > 0 && <Labels labels={labels} />}
    </>
  )
}
