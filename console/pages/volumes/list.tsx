/** The volumes of a Project. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useRunning } from '../../api/actions.ts'
import { useApi, useOutdate } from '../../api/api.ts'
import { useReason } from '../../shell/may.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { common } from '../../words/en/common.ts'
import { resources } from '../../words/en/resources.ts'
import { volumes as english } from '../../words/en/volumes.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { useResourceActs } from '../shared/acts.tsx'
import { ageColumn, labelsColumn, Protected, ServerLink } from '../shared/cells.tsx'
import { ListPage } from '../shared/list-page.tsx'
import { AttachDialog, ResizeDialog } from './dialogs.tsx'
import { useVolumePrice, type Volume, volumeActs } from './volume.ts'

const w = wordsOf('volumes', english)
const r = wordsOf('resources', resources)
const c = wordsOf('common', common)

interface Asked {
  readonly kind: 'attach' | 'detach' | 'resize'
  readonly volume: Volume
}

const textsOf = ({ name, linux_device: device }: Volume) => [name, device]

export function VolumesPage() {
  const api = useApi()
  const outdate = useOutdate()
  const { data: volumes, dataUpdatedAt } = useSuspenseQuery(api.list('volumes_list', {}))
  const { data: servers = [] } = useQuery(api.list('servers_list', {}))
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const acts = useResourceActs(volumeActs)
  const running = useRunning('volume')
  const mayAttach = useReason('volumes_attach')
  const mayResize = useReason('volumes_resize')
  const priceOf = useVolumePrice()
  const columns = useMemo(() => {
    const names = new Map(servers.map(({ id, name }) => [id, name]))
    return columnsFor(
      (id) => names.get(id),
      (id) => running(id)?.progress,
      priceOf,
    )
  }, [servers, running, priceOf])
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
      primary={{ label: w.create, reason: useReason('volumes_create'), to: '/projects/$project/volumes/new' }}
      commands={commandsFor(volumes[0]?.id ?? 1)}
      menu={(volume) =>
        acts.menu(volume, [
          volume.server === null
            ? {
                key: 'attach',
                label: w.attach,
                icon: 'link',
                reason: mayAttach,
                onSelect: () => ask({ kind: 'attach', volume }),
              }
            : {
                key: 'detach',
                label: w.detach,
                icon: 'undo',
                reason: mayAttach,
                onSelect: () => ask({ kind: 'detach', volume }),
              },
          {
            key: 'resize',
            label: w.resize,
            icon: 'up',
            reason: mayResize,
            onSelect: () => ask({ kind: 'resize', volume }),
          },
        ])
      }
    >
      {asked?.kind === 'attach' && <AttachDialog volume={asked.volume} servers={servers} onClose={close} />}
      {asked?.kind === 'resize' && <ResizeDialog volume={asked.volume} onClose={close} />}
      {asked?.kind === 'detach' && (
        <Confirm
          title={w.detachTitle(asked.volume.name)}
          text={w.detachText}
          act={w.detach}
          onConfirm={() =>
            api.call('volumes_detach', { params: { id: asked.volume.id } }).then(() => outdate('volumes', 'servers'))
          }
          onClose={close}
        />
      )}
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
  progressOf: (id: number) => number | undefined,
  priceOf: (size: number) => string | undefined,
): readonly Column<Volume>[] {
  return [
    {
      key: 'name',
      label: c.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: ({ name, protection, format }) => (
        <>
          <span className="row">
            <b>{name}</b>
            {protection.delete && <Protected />}
          </span>
          {format && <small>{format}</small>}
        </>
      ),
    },
    {
      key: 'status',
      label: r.status,
      card: 'stat',
      sort: ({ server }) => (server === null ? 1 : 0),
      cell: ({ id, status, server }) => {
        const progress = progressOf(id)
        if (status === 'creating' || progress !== undefined) {
          return (
            <State mood="busy" progress={progress ?? 38}>
              {status === 'creating' ? w.creating : w.changing}
            </State>
          )
        }
        return <State mood={server === null ? 'off' : 'ok'}>{server === null ? w.free : w.attached}</State>
      },
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
          {priceOf(size) && <small>{w.aMonth(priceOf(size) ?? '')}</small>}
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
