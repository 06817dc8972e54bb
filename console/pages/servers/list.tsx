/** The servers of a Project. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useMemo } from 'react'
import { useRunning } from '../../api/actions.ts'
import { useApi } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { servers as english } from '../../words/en/servers.ts'
import { wordsOf } from '../../words/words.ts'
import { ListPage } from '../shared/list-page.tsx'
import { useServerActs } from './acts.tsx'
import { serverColumns } from './columns.tsx'
import { firstServers, groups } from './search.ts'
import { groupOf, textsOf } from './server.ts'

const w = wordsOf('servers', english)
const Bar = lazy(async () => ({ default: (await import('./bar.tsx')).ServerBar }))

const grouping = {
  label: w.status,
  param: 'status',
  of: groupOf,
  options: groups.map((value) => ({ value, label: w.groups[value] })),
} as const

export function ServersPage() {
  const api = useApi()
  const first = useQueryClient().getQueryData(firstServers(api).queryKey)
  const { data: all, dataUpdatedAt } = useQuery({ ...api.list('servers_list', {}), throwOnError: true })
  const servers = all ?? first?.servers ?? []
  const more = all ? 0 : (first?.meta.pagination.total_entries ?? servers.length) - servers.length
  const running = useRunning('server')
  const columns = useMemo(() => serverColumns(running), [running])
  const acts = useServerActs()
  return (
    <ListPage
      family="servers"
      words={w}
      rows={servers}
      more={more}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      grouping={grouping}
      primary={{ label: w.create, reason: useReason('servers_create'), to: '/projects/$project/servers/new' }}
      commands={[
        { label: w.list, request: { operation: 'servers_list' } },
        { label: w.create, request: { operation: 'servers_create', body: example } },
      ]}
      menu={(server) => acts.menu(server, running(server.id))}
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

const example = { name: 'web-1', server_type: 'cx23', image: 'debian-12' }
