/** One Storage Box: what it is, its files, snapshots, subaccounts, how it is reached, and its activity. */
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { Protected } from '../../pages/shared/cells.tsx'
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
import { useBoxActs } from './acts.tsx'
import type { Box } from './box.ts'
import { entry } from './entry.ts'
import { BoxState } from './status.tsx'
import { boxes as w } from './words.ts'

const OverviewTab = lazy(async () => ({ default: (await import('./overview.tsx')).OverviewTab }))
const FilesTab = lazy(async () => ({ default: (await import('./files.tsx')).FilesTab }))
const SnapshotsTab = lazy(async () => ({ default: (await import('./snapshots.tsx')).SnapshotsTab }))
const SubaccountsTab = lazy(async () => ({ default: (await import('./subaccounts.tsx')).SubaccountsTab }))
const AccessTab = lazy(async () => ({ default: (await import('./access.tsx')).AccessTab }))
const ActivityTab = lazy(async () => ({ default: (await import('../../pages/shared/activity.tsx')).ActivityTab }))
const tabs = ['overview', 'files', 'snapshots', 'subaccounts', 'access', 'activity'] as const

export function BoxPage() {
  const { id, tab = 'overview' } = entry.routes.one.useParams()
  const api = useApi()
  const go = useGo()
  const params = { id: Number(id) }
  const { data, isGone } = useOne(api.query('storage_boxes_get', { params }))
  const { storage_box: box } = data
  const { data: snapshots } = useQuery(api.list('storage_boxes_listSnapshots', { params }))
  const { data: subaccounts } = useQuery(api.list('storage_boxes_listSubaccounts', { params }))
  const current = tabs.find((one) => one === tab)
  const list = { label: w.title, link: linkTo('storage_boxes', 'list') } as const
  const acts = useBoxActs(() => void go(list.link))
  const toTab = (key?: string) => linkTo('storage_boxes', 'one', { id, tab: key })
  if (!current) return <MissingLater back={{ label: box.name, link: toTab() }} />
  const counts = { snapshots: snapshots?.length, subaccounts: subaccounts?.length }
  return (
    <>
      <PageHead
        title={box.name}
        crumbs={[list]}
        facts={<BoxFacts box={box} />}
        actions={
          <>
            <CommandsButton requests={commandsFor(box)} />
            <DotsMenu small={false} label={c.actionsFor(box.name)} entries={() => acts.menu(box)} />
          </>
        }
      />
      {isGone && <GoneNote name={box.name} back={list} />}
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
        {current === 'overview' && <OverviewTab box={box} acts={acts} />}
        {current === 'files' && <FilesTab box={box} />}
        {current === 'snapshots' && <SnapshotsTab box={box} />}
        {current === 'subaccounts' && <SubaccountsTab box={box} />}
        {current === 'access' && <AccessTab box={box} />}
        {current === 'activity' && <ActivityTab operation="storage_boxes_listActions" id={box.id} name={box.name} />}
      </Suspense>
      {acts.dialogs}
    </>
  )
}

function commandsFor({ id }: Box) {
  const params = { id }
  const ssh = { ssh_enabled: true, reachable_externally: true }
  return [
    { label: w.show, request: { operation: 'storage_boxes_get', params } },
    { label: w.makeSnapshot, request: { operation: 'storage_boxes_createSnapshot', params, body: {} } },
    { label: w.openSsh, request: { operation: 'storage_boxes_updateAccessSettings', params, body: ssh } },
  ] as const
}

function BoxFacts({ box }: { readonly box: Box }) {
  const { id, labels, username, storage_box_type: type, location, protection } = box
  return (
    <>
      <BoxState box={box} />
      <span>
        {type.name} · {location.name}
      </span>
      {protection.delete && <Protected />}
      {username && <Copyable text={username} />}
      <Copyable text={String(id)} label={c.copyId} />
      {Object.keys(labels).length > 0 && <Labels labels={labels} />}
    </>
  )
}
