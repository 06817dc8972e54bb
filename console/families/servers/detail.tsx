/** One server, in tabs that have addresses of their own. */

import { type ComponentType, lazy, Suspense } from 'react'
import { useRunning } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { GoneNote, useOne } from '../../shell/gone.tsx'
import { MissingLater } from '../../shell/states-later.tsx'
import { Button } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { useGo } from '../../ui/link.tsx'
import { DotsMenu } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { Labels } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { useServerActs } from './acts.tsx'
import { server as w } from './detail.words.ts'
import { entry } from './entry.ts'
import { power, powerReason } from './power.ts'
import { isAt } from './server.ts'
import type { ServerActs } from './server-acts.ts'
import { ServerStatus } from './status.tsx'
import type { TabProps } from './tabs/tab.ts'
import { servers as list } from './words.ts'

/** A tab is loaded when it is opened. */
const tabs: Readonly<Record<keyof typeof w.tabs, ComponentType<TabProps>>> = {
  overview: lazy(async () => ({ default: (await import('./tabs/overview.tsx')).OverviewTab })),
  networking: lazy(async () => ({ default: (await import('./tabs/networking.tsx')).NetworkingTab })),
  backups: lazy(async () => ({ default: (await import('./tabs/backups.tsx')).BackupsTab })),
  change: lazy(async () => ({ default: (await import('./tabs/change.tsx')).ChangeTab })),
  activity: lazy(async () => ({ default: (await import('./tabs/activity.tsx')).ActivityTab })),
  settings: lazy(async () => ({ default: (await import('./tabs/settings.tsx')).SettingsTab })),
}

function isTab(name: string): name is keyof typeof tabs {
  return Object.hasOwn(tabs, name)
}

export function ServerPage() {
  const { id, tab = 'overview' } = entry.routes.one.useParams()
  const api = useApi()
  const request = { operation: 'servers_get', params: { id: Number(id) } } as const
  const { data, isGone } = useOne(api.query('servers_get', { params: request.params }))
  const { server } = data
  const action = useRunning('server', server.id)
  const acts = useServerActs()
  const go = useGo()
  const back = { label: list.title, link: linkTo('servers', 'list') } as const
  const leave = () => void go(back.link)
  const toTab = (key?: string) => linkTo('servers', 'one', { id, tab: key })
  if (!isTab(tab)) return <MissingLater back={{ label: server.name, link: toTab() }} />
  const Tab = tabs[tab]
  return (
    <>
      <PageHead
        title={server.name}
        crumbs={[back]}
        facts={
          <>
            <ServerStatus server={server} />
            <span>{server.server_type.name}</span>
            <span>{isAt(server)}</span>
            {Object.keys(server.labels).length > 0 && <Labels labels={server.labels} />}
            <Copyable text={String(server.id)} label={c.copyId} />
          </>
        }
        actions={
          <>
            <CommandsButton request={request} />
            <PowerButton server={server} action={action} acts={acts} />
            <DotsMenu
              label={c.actionsFor(server.name)}
              entries={() => acts.menu(server, action, leave)}
              small={false}
            />
          </>
        }
      />
      {isGone && <GoneNote name={server.name} back={back} />}
      <Tabs
        label={w.label}
        current={tab}
        tabs={(Object.keys(tabs) as (keyof typeof tabs)[]).map((key) => ({
          key,
          label: w.tabs[key],
          link: toTab(key === 'overview' ? undefined : key),
        }))}
      />
      <Suspense fallback={<Skeleton />}>
        <Tab server={server} action={action} />
      </Suspense>
      {acts.dialogs}
    </>
  )
}

function PowerButton({ server, action, acts }: TabProps & { readonly acts: ServerActs }) {
  const verb = server.status === 'off' ? 'powerOn' : 'shutDown'
  return (
    <Button
      look={server.status === 'off' ? 'primary' : undefined}
      icon="power"
      reason={powerReason(acts, verb, server, action)}
      onClick={() => power(acts, verb, [server])}
    >
      {list.acts[verb]}
    </Button>
  )
}
