/** The servers of a Project. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useState } from 'react'
import { runningOn } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { useServerActs } from './acts.tsx'
import { serverColumns } from './columns.tsx'
import { firstServers, groups } from './search.ts'
import { groupOf, textsOf } from './server.ts'
import { servers as w } from './words.ts'

const Bar = lazy(async () => ({ default: (await import('./bar.tsx')).ServerBar }))

const grouping = {
  label: w.status,
  param: 'status',
  of: groupOf,
  options: groups.map((value) => ({ value, label: w.groups[value] })),
} as const

export function ServersPage() {
  const { servers, more, updatedAt, wantAll } = useServers()
  const acts = useServerActs()
  return (
    <ListPage
      family="servers"
      words={w}
      rows={servers}
      more={more}
      onNeedAll={wantAll}
      updatedAt={updatedAt}
      columns={serverColumns}
      textsOf={textsOf}
      grouping={grouping}
      primary={{ label: w.create, reason: useReason('servers_create'), link: linkTo('servers', 'create') }}
      commands={[
        { label: w.list, request: { operation: 'servers_list' } },
        { label: w.create, request: { operation: 'servers_create', body: example } },
      ]}
      menu={(server) => acts.menu(server, runningOn('server', server.id))}
      bar={(chosen, clear) => (
        <Suspense>
          <Bar servers={chosen} acts={acts} onClear={clear} />
        </Suspense>
      )}
    >
      {acts.dialogs}
    </ListPage>
  )
}

/** More servers than these are only read whole when something needs all of them. */
const mostAtOnce = 1_000

/** The servers that are here, how many more there are, and a way to have all. */
function useServers() {
  const api = useApi()
  const [isWhole, setWhole] = useState(false)
  const whole = api.list('servers_list', {})
  const isHere = useQueryClient().getQueryData(whole.queryKey) !== undefined
  const first = useQuery({ ...firstServers(api), enabled: !isHere, throwOnError: true })
  const total = first.data?.meta.pagination.total_entries ?? 0
  const all = useQuery({ ...whole, enabled: isHere || isWhole || total <= mostAtOnce, throwOnError: true })
  const servers = all.data ?? first.data?.servers ?? []
  return {
    servers,
    more: all.data ? 0 : Math.max(0, total - servers.length),
    updatedAt: all.data ? all.dataUpdatedAt : first.dataUpdatedAt,
    wantAll: useCallback(() => setWhole(true), []),
  }
}

const example = { name: 'web-1', server_type: 'cx23', image: 'debian-12' }
