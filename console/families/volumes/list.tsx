/** The volumes of a Project. */

import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { ageColumn, labelsColumn, NameCell, ServerLink } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { CopyButton } from '../../ui/copy.tsx'
import type { Column } from '../../ui/table.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { prices as p } from '../../words/prices.ts'
import { resources as r } from '../../words/resources.ts'
import { useVolumeActs } from './acts.tsx'
import { VolumeState } from './state.tsx'
import { useVolumePrice, type Volume } from './volume.ts'
import { volumes as w } from './words.ts'

const textsOf = ({ name, linux_device: device }: Volume) => [name, device]

export function VolumesPage() {
  const api = useApi()
  const { data: volumes, dataUpdatedAt } = useSuspenseQuery(api.list('volumes_list', {}))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const acts = useVolumeActs(servers)
  const priceOf = useVolumePrice()
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    return columnsFor((id) => names.get(id), priceOf)
  }, [servers, priceOf])
  return (
    <ListPage
      family="volumes"
      words={w}
      rows={volumes}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      grouping={{
        label: r.status,
        of: ({ server }) => (server === null ? 'free' : 'attached'),
        options: [
          { value: 'attached', label: w.attached },
          { value: 'free', label: w.free },
        ],
      }}
      primary={{ label: w.create, reason: useReason('volumes_create'), link: linkTo('volumes', 'create') }}
      commands={commandsFor(volumes[0]?.id ?? 1)}
      menu={acts.menu}
    >
      {acts.dialogs}
    </ListPage>
  )
}

function commandsFor(id: number) {
  return [
    { label: w.list, request: { operation: 'volumes_list' } },
    { label: w.create, request: { operation: 'volumes_create', body: { name: 'data', size: 10, location: 'fsn1' } } },
    { label: w.attach, request: { operation: 'volumes_attach', params: { id }, body: { server: 1 } } },
    { label: w.resize, request: { operation: 'volumes_resize', params: { id }, body: { size: 20 } } },
  ] as const
}

function columnsFor(
  nameOf: (id: number) => string | undefined,
  priceOf: (size: number) => string | undefined,
): readonly Column<Volume>[] {
  return [
    {
      key: 'name',
      label: c.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: ({ id, name, protection, format }) => (
        <NameCell name={name} link={linkTo('volumes', 'one', { id })} isProtected={protection.delete} small={format} />
      ),
    },
    {
      key: 'status',
      label: r.status,
      card: 'stat',
      sort: ({ server }) => (server === null ? 1 : 0),
      cell: (volume) => <VolumeState volume={volume} />,
    },
    {
      key: 'server',
      label: r.server,
      card: 'sub',
      cell: ({ server }) =>
        server === null ? <span className="faint">{r.nothing}</span> : <ServerLink id={server} name={nameOf(server)} />,
    },
    {
      key: 'size',
      label: w.size,
      isEnd: true,
      isNarrow: true,
      sort: ({ size }) => -size,
      cell: ({ size }) => (
        <>
          {w.gb(number(size))}
          {priceOf(size) && <small>{p.aMonth(priceOf(size) ?? '')}</small>}
        </>
      ),
    },
    {
      key: 'location',
      label: r.location,
      rank: 2,
      sort: ({ location }) => location.name,
      cell: ({ location }) => location.name,
    },
    {
      key: 'device',
      label: w.device,
      rank: 3,
      isMono: true,
      cell: ({ linux_device: device }) => (
        <span className="row">
          {device.replace('/dev/disk/by-id/', '…/')}
          <CopyButton text={device} label={c.copyName(device)} />
        </span>
      ),
    },
    labelsColumn(),
    ageColumn(),
  ]
}
