/** Shows the snapshots of a Storage Box, and the plan by which they are made. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { sh } from '../../commands/shell.ts'
import { NameCell } from '../../pages/shared/cells.tsx'
import { useReason } from '../../shell/may.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useGo } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { Labels } from '../../ui/tag.tsx'
import { Ago } from '../../ui/time.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { resources as r } from '../../words/resources.ts'
import type { Box, Snapshot } from './box.ts'
import { folderLink } from './folder-way.tsx'
import { nextText, planText } from './plan.ts'
import { PlanDialogs, type PlanKind } from './plan-dialogs.tsx'
import { SnapshotDialogs, type SnapshotKind } from './snapshot-dialogs.tsx'
import { snapshots as w } from './snapshots.words.ts'
import { sizeText } from './usage.ts'
import { boxes as b } from './words.ts'

type Asked =
  | { readonly kind: PlanKind | 'make' }
  | { readonly kind: Exclude<SnapshotKind, 'make'>; readonly snapshot: Snapshot }

export function SnapshotsTab({ box }: { readonly box: Box }) {
  const { data } = useSuspenseQuery(useApi().list('storage_boxes_listSnapshots', { params: { id: box.id } }))
  // The newest first: it is what one rolls back to.
  const snapshots = useMemo(() => data.toSorted((one, other) => other.id - one.id), [data])
  const columns = useMemo(() => columnsOf({ id: box.id }), [box.id])
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const menuOf = useMenu(box, (kind, snapshot) => ask({ kind, snapshot }))
  const byHand = snapshots.filter((one) => !one.is_automatic).length
  const most = box.storage_box_type.snapshot_limit
  const make = (
    <Button
      look="primary"
      icon="plus"
      reason={useReason('storage_boxes_createSnapshot') ?? (box.status === 'initializing' ? b.notYet : undefined)}
      onClick={() => ask({ kind: 'make' })}
    >
      {w.make}
    </Button>
  )
  return (
    <>
      <PlanCard box={box} ask={(kind) => ask({ kind })} />
      {snapshots.length === 0 ? (
        <Empty
          title={w.none}
          text={w.noneText}
          action={make}
          command={sh`hcloud storage-box snapshot create ${box.id}`}
        />
      ) : (
        <ListFrame>
          <Tools end={make}>
            <span className="faint">{most !== null && w.countOf(number(byHand), number(most))}</span>
          </Tools>
          <Table
            caption={w.caption(box.name)}
            columns={columns}
            rows={snapshots}
            idOf={({ id }) => id}
            nameOf={({ name }) => name}
            menu={menuOf}
          />
          <span className="only-narrow">{make}</span>
        </ListFrame>
      )}
      {asked && 'snapshot' in asked && (
        <SnapshotDialogs box={box} all={snapshots} kind={asked.kind} snapshot={asked.snapshot} onClose={close} />
      )}
      {asked?.kind === 'make' && <SnapshotDialogs box={box} all={snapshots} kind="make" onClose={close} />}
      {(asked?.kind === 'plan' || asked?.kind === 'noPlan') && (
        <PlanDialogs box={box} kind={asked.kind} onClose={close} />
      )}
    </>
  )
}

/** Returns the menu of a snapshot. */
function useMenu(box: Box, ask: (kind: Exclude<SnapshotKind, 'make'>, snapshot: Snapshot) => void) {
  const mayChange = useReason('storage_boxes_updateSnapshot')
  const mayRollBack = useReason('storage_boxes_rollbackSnapshot')
  const mayRemove = useReason('storage_boxes_removeSnapshot')
  const go = useGo()
  return (snapshot: Snapshot): readonly MenuEntry[] => [
    {
      key: 'browse',
      label: w.browse,
      icon: 'eye',
      onSelect: () => void go(folderLink(box, { folder: '', snapshot: snapshot.id })),
    },
    {
      key: 'edit',
      label: w.edit,
      icon: 'tag',
      isEdit: true,
      reason: mayChange,
      onSelect: () => ask('edit', snapshot),
    },
    {
      key: 'rollBack',
      label: w.rollBack,
      icon: 'undo',
      isBad: true,
      reason: mayRollBack,
      onSelect: () => ask('rollBack', snapshot),
    },
    'line',
    {
      key: 'delete',
      label: c.delete,
      icon: 'trash',
      isBad: true,
      reason: mayRemove,
      onSelect: () => ask('delete', snapshot),
    },
  ]
}

const columnsOf = (box: Pick<Box, 'id'>): readonly Column<Snapshot>[] => [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    cell: ({ id, name, description }) => (
      <NameCell name={name} link={folderLink(box, { folder: '', snapshot: id })} small={description} />
    ),
  },
  {
    key: 'by',
    label: w.madeBy,
    rank: 2,
    cell: ({ is_automatic: isAutomatic }) => (isAutomatic ? w.automatic : w.manual),
  },
  { key: 'created', label: r.created, card: 'sub', cell: ({ created }) => <Ago time={created} /> },
  {
    key: 'size',
    label: w.size,
    card: 'stat',
    isEnd: true,
    cell: ({ stats }) => (
      <>
        {sizeText(stats.size)}
        <small>{w.sizeText(sizeText(stats.size_filesystem))}</small>
      </>
    ),
  },
  { key: 'labels', label: c.labels, rank: 2, cell: ({ labels }) => <Labels labels={labels} /> },
]

function PlanCard({ box, ask }: { readonly box: Box; readonly ask: (kind: PlanKind) => void }) {
  const mayEnable = useReason('storage_boxes_enableSnapshotPlan')
  const mayDisable = useReason('storage_boxes_disableSnapshotPlan')
  const { snapshot_plan: plan, status } = box
  const notYet = status === 'initializing' ? b.notYet : undefined
  return (
    <Card title={w.plan} padded>
      {plan ? (
        <p>
          {planText(plan)}
          <br />
          <span className="dim">
            {w.next}: {nextText(plan)}
          </span>
        </p>
      ) : (
        <p className="dim">{w.noPlanText}</p>
      )}
      <span className="row wrap">
        <Button icon="clock" reason={mayEnable ?? notYet} onClick={() => ask('plan')}>
          {plan ? w.changePlan : w.enablePlan}
        </Button>
        {plan && (
          <Button reason={mayDisable} onClick={() => ask('noPlan')}>
            {w.disablePlan}
          </Button>
        )}
      </span>
    </Card>
  )
}
