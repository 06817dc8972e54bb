/** The backups of the server, its snapshots, and what can be made from them. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useApi } from '../../../api/api.ts'
import { linkTo } from '../../../families.ts'
import { aMonth, money } from '../../../lib/money.ts'
import type { Password } from '../../../pages/shared/passwords-dialog.tsx'
import { useReason } from '../../../shell/may.ts'
import { Button } from '../../../ui/button.tsx'
import card from '../../../ui/card.module.css'
import { Card } from '../../../ui/card.tsx'
import { useGo } from '../../../ui/link.tsx'
import type { MenuEntry } from '../../../ui/menu-entry.ts'
import { State } from '../../../ui/state.tsx'
import { type Column, ListFrame, Table } from '../../../ui/table.tsx'
import { Age } from '../../../ui/time.tsx'
import { common as c } from '../../../words/common.ts'
import { number, percent } from '../../../words/format.ts'
import { prices as p } from '../../../words/prices.ts'
import { sizeLine } from '../../pricing/lines.ts'
import type { Image } from '../draft.ts'
import { Passwords } from '../passwords.tsx'
import { linesOfServer } from '../prices.ts'
import { isAt, type Server } from '../server.ts'
import { type BackupsAct, BackupsDialogs } from './backups-dialogs.tsx'
import { busyReason } from './busy.ts'
import { labelOf } from './rebuild-dialog.tsx'
import type { TabProps } from './tab.ts'
import { serverTabs as w } from './words.ts'

const b = w.backups

export function BackupsTab({ server, action }: TabProps) {
  const api = useApi()
  const [asked, ask] = useState<BackupsAct>()
  const [password, setPassword] = useState<Password>()
  const { data: own } = useSuspenseQuery({
    ...api.list('images_list', { query: { type: ['backup', 'snapshot'], sort: 'id:desc' } }),
    select: (images) => images.filter(({ bound_to: bound, created_from: from }) => (bound ?? from?.id) === server.id),
  })
  const menu = useMenu(server, busyReason(server, action), ask)
  const mayTake = useReason('servers_createImage')
  const reason = mayTake ?? busyReason(server, action)
  return (
    <div className="stack-l">
      <BackupsCard server={server} busy={busyReason(server, action)} ask={ask} />
      <Card
        title={b.list}
        aside={<SnapshotPrice />}
        end={
          <Button small icon="plus" reason={reason} onClick={() => ask({ kind: 'snapshot' })}>
            {b.take}
          </Button>
        }
      >
        {own.length === 0 ? (
          <p className={card.pad}>{b.none}</p>
        ) : (
          <ListFrame>
            <Table
              caption={b.caption(server.name)}
              columns={columns}
              rows={own}
              idOf={({ id }) => id}
              nameOf={labelOf}
              menu={menu}
              isTight
            />
          </ListFrame>
        )}
      </Card>
      {asked && (
        <BackupsDialogs asked={asked} server={server} onPassword={setPassword} onClose={() => ask(undefined)} />
      )}
      {password && <Passwords passwords={[password]} onClose={() => setPassword(undefined)} />}
    </div>
  )
}

interface BackupsCardProps {
  readonly server: Server
  readonly busy: string | undefined
  readonly ask: (asked: BackupsAct) => void
}

function BackupsCard({ server, busy, ask }: BackupsCardProps) {
  const isOn = server.backup_window !== null
  const mayEnable = useReason('servers_enableBackup')
  const mayDisable = useReason('servers_disableBackup')
  const mayTake = useReason('servers_createImage')
  return (
    <Card title={b.title} padded>
      <State mood={isOn ? 'ok' : 'off'}>{isOn ? c.on : c.off}</State>
      <p>{server.backup_window === null ? b.off : b.on(server.backup_window)}</p>
      <p className="dim">
        <BackupPrice server={server} />
      </p>
      <p className="row wrap">
        {isOn ? (
          <Button reason={mayDisable ?? busy} onClick={() => ask({ kind: 'disable' })}>
            {b.disable}
          </Button>
        ) : (
          <Button reason={mayEnable ?? busy} onClick={() => ask({ kind: 'enable' })}>
            {b.enable}
          </Button>
        )}
        <Button reason={mayTake ?? (isOn ? busy : b.isOff)} onClick={() => ask({ kind: 'backup' })}>
          {b.takeBackup}
        </Button>
      </p>
    </Card>
  )
}

/** Shows the price of backups, which is a share of the price of the type where the server is. */
function BackupPrice({ server }: { readonly server: Server }) {
  const { pricing } = useSuspenseQuery(useApi().query('pricing_get', {})).data
  const wanted = { type: server.server_type.name, location: isAt(server), backups: true }
  const cost = linesOfServer(wanted, pricing).find(({ what }) => what === 'backups')
  const share = b.share(percent(Number(pricing.server_backup.percentage)))
  return [share, cost && aMonth(cost.monthly, pricing.currency)].filter(Boolean).join(', ')
}

function SnapshotPrice() {
  const { pricing } = useSuspenseQuery(useApi().query('pricing_get', {})).data
  return (
    <span className="faint">
      {p.aGigabyte(money(sizeLine('snapshot', 1, pricing.image).monthly, pricing.currency, 4))}
    </span>
  )
}

/** Returns the menu of a backup. */
function useMenu(
  server: Server,
  busy: string | undefined,
  ask: (asked: BackupsAct) => void,
): (image: Image) => readonly MenuEntry[] {
  const go = useGo()
  const mayCreate = useReason('servers_create')
  const mayRebuild = useReason('servers_rebuild')
  const mayKeep = useReason('images_update')
  const mayDelete = useReason('images_remove')
  return (image) => {
    const early = image.status === 'creating' ? b.isCreating : undefined
    const isKept = server.protection.rebuild ? w.change.isProtected : undefined
    return [
      {
        key: 'create',
        label: b.create,
        icon: 'server',
        reason: mayCreate ?? early,
        onSelect: () => void go({ ...linkTo('servers', 'create'), search: { image: String(image.id) } }),
      },
      {
        key: 'rebuild',
        label: b.rebuild,
        icon: 'restart',
        reason: mayRebuild ?? early ?? isKept ?? busy,
        onSelect: () => ask({ kind: 'rebuild', image }),
      },
      ...(image.type === 'backup'
        ? [
            {
              key: 'keep',
              label: b.keep,
              icon: 'copy',
              reason: mayKeep ?? early,
              onSelect: () => ask({ kind: 'keep', image }),
            } satisfies MenuEntry,
          ]
        : []),
      'line',
      {
        key: 'delete',
        label: b.delete,
        icon: 'trash',
        isBad: true,
        reason: mayDelete ?? (image.protection.delete ? b.isProtected : early),
        onSelect: () => ask({ kind: 'delete', image }),
      },
    ]
  }
}

const columns: readonly Column<Image>[] = [
  { key: 'description', label: b.description, card: 'key', cell: (image) => <b>{labelOf(image)}</b> },
  { key: 'kind', label: b.kind, cell: ({ type }) => b.kinds[type] },
  {
    key: 'status',
    label: b.status,
    card: 'stat',
    cell: ({ status }) => <State mood={status === 'available' ? 'ok' : 'busy'}>{b.statuses[status]}</State>,
  },
  {
    key: 'size',
    label: b.size,
    card: 'sub',
    isEnd: true,
    isNarrow: true,
    cell: ({ image_size: size }) => (size === null ? '' : `${number(size)} GB`),
  },
  { key: 'age', label: b.age, isEnd: true, isNarrow: true, cell: ({ created }) => <Age since={created} /> },
]
