/** The states of a lab that were kept, and its forks. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { apiOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { Button } from '../../ui/button.tsx'
import { copyAway } from '../../ui/copy.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { type Column, ListFrame, nameClass, Table } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { admin } from '../../words/admin.ts'
import { exactTime, number } from '../../words/format.ts'
import type { Asked } from './lab-dialogs.tsx'

const w = admin.lab
const api = apiOf(undefined)

type Snapshot = ReplyFor<'lab_listSnapshots'>['snapshots'][number]
type Fork = ReplyFor<'lab_listForks'>['forks'][number]

interface StatesProps {
  readonly ask: (asked: Asked) => void
  /** The reason nothing of it may be done. */
  readonly reason: string | undefined
}

export function Snapshots({ ask, reason }: StatesProps) {
  const { data } = useSuspenseQuery(api.query('lab_listSnapshots', {}))
  const menu = ({ name }: Snapshot): readonly MenuEntry[] => [
    { key: 'restore', label: w.restore, icon: 'refresh', reason, onSelect: () => ask({ kind: 'restore', name }) },
    {
      key: 'forget',
      label: w.forget,
      icon: 'trash',
      isBad: true,
      reason,
      onSelect: () => ask({ kind: 'forget', name }),
    },
  ]
  return (
    <section className="stack" aria-label={w.snapshots}>
      <div className="row">
        <h2>{w.snapshots}</h2>
        <Button reason={reason} onClick={() => ask({ kind: 'save' })}>
          {w.save}
        </Button>
      </div>
      {data.snapshots.length === 0 ? (
        <p className="dim">{w.noSnapshots}</p>
      ) : (
        <ListFrame>
          <Table
            caption={w.snapshots}
            columns={snapshotColumns}
            rows={data.snapshots.map((one, id) => ({ ...one, id }))}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            menu={menu}
            isTight
          />
        </ListFrame>
      )}
    </section>
  )
}

export function Forks({ ask, reason }: StatesProps) {
  const { data } = useSuspenseQuery(api.query('lab_listForks', {}))
  const menu = ({ id, base_url: url }: Fork): readonly MenuEntry[] => [
    { key: 'copy', label: w.copyUrl, icon: 'copy', onSelect: () => copyAway(url) },
    { key: 'end', label: w.endFork, icon: 'trash', isBad: true, reason, onSelect: () => ask({ kind: 'end', id, url }) },
  ]
  return (
    <section className="stack" aria-label={w.forks}>
      <div className="row">
        <h2>{w.forks}</h2>
        <Button reason={reason} onClick={() => ask({ kind: 'fork' })}>
          {w.fork}
        </Button>
      </div>
      {data.forks.length === 0 ? (
        <p className="dim">{w.noForks}</p>
      ) : (
        <ListFrame>
          <Table
            caption={w.forks}
            columns={forkColumns}
            rows={data.forks}
            idOf={({ id }) => id}
            nameOf={({ base_url: url }) => url}
            menu={menu}
            isTight
          />
        </ListFrame>
      )}
    </section>
  )
}

const snapshotColumns: readonly Column<Snapshot & { readonly id: number }>[] = [
  { key: 'name', label: w.name, card: 'key', cell: ({ name }) => <span className={nameClass}>{name}</span> },
  { key: 'now', label: w.itsTime, card: 'sub', cell: ({ now }) => exactTime(now) },
  { key: 'size', label: w.size, isEnd: true, cell: ({ size }) => `${number(Math.ceil(size / 1_000))} kB` },
]

const forkColumns: readonly Column<Fork>[] = [
  { key: 'url', label: w.url, card: 'key', cell: ({ base_url: url }) => <span className="mono">{url}</span> },
  { key: 'dns', label: w.dns, rank: 2, cell: ({ dns }) => (dns ? <span className="mono">{dns}</span> : <None />) },
  { key: 'created', label: w.created, rank: 3, isEnd: true, cell: ({ created }) => <Ago time={created} /> },
  { key: 'ends', label: w.ends, isEnd: true, cell: ({ ends }) => <Ago time={ends} /> },
]
