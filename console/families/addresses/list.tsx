/** Floating IPs and Primary IPs: where they lead, their names, and what can be done with them. */

import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, Protected } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Link } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import type { Asked } from './address.ts'
import { type Address, type AddressFamily, fromFloating, fromPrimary } from './address.ts'
import { addresses as w } from './words.ts'

const Dialogs = lazy(async () => ({ default: (await import('./dialogs.tsx')).AddressDialogs }))

export function FloatingIpsPage() {
  const api = useApi()
  const { data, dataUpdatedAt } = useSuspenseQuery(api.list('floating_ips_list', {}))
  const rows = useMemo(() => data.map(fromFloating), [data])
  return <AddressList family="floating_ips" rows={rows} updatedAt={dataUpdatedAt} />
}

export function PrimaryIpsPage() {
  const api = useApi()
  const { data, dataUpdatedAt } = useSuspenseQuery(api.list('primary_ips_list', {}))
  const rows = useMemo(() => data.map(fromPrimary), [data])
  return <AddressList family="primary_ips" rows={rows} updatedAt={dataUpdatedAt} />
}

interface AddressListProps {
  readonly family: AddressFamily
  readonly rows: readonly Address[]
  readonly updatedAt: number
}

function AddressList({ family, rows, updatedAt }: AddressListProps) {
  const api = useApi()
  const { data: servers } = useSuspenseQuery(api.list('servers_list', {}))
  const names = useMemo(() => new Map(servers.map(({ id, name }) => [id, name])), [servers])
  const columns = useMemo(() => columnsOf(family, names), [family, names])
  const [asked, ask] = useState<Asked>()
  const menu = useMenu(family, ask)
  const acts = useResourceActs<Address>({
    family,
    lost: w.lost,
    losesData: true,
    whyNot: ({ server, balancer }) => (server === null && balancer === null ? undefined : w.isAssigned),
  })
  const words = w[family]
  return (
    <ListPage
      family={family}
      words={{ ...w, ...words }}
      rows={rows}
      updatedAt={updatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: words.create, reason: useReason(`${family}_create`), act: () => ask({ kind: 'create' }) }}
      commands={[
        { label: w.list, request: { operation: `${family}_list` } },
        { label: words.create, request: { operation: `${family}_create`, body: examples[family] } },
      ]}
      menu={(address) => acts.menu(address, menu(address))}
    >
      {asked && (
        <Suspense>
          <Dialogs family={family} asked={asked} servers={servers} onClose={() => ask(undefined)} />
        </Suspense>
      )}
      {acts.dialogs}
    </ListPage>
  )
}

const examples = {
  floating_ips: { type: 'ipv4', home_location: 'fsn1' },
  primary_ips: { type: 'ipv4', name: 'web', location: 'fsn1' },
}

/** Returns the menu of an address, without the entries that every resource has. */
function useMenu(family: AddressFamily, ask: (asked: Asked) => void): (address: Address) => readonly MenuEntry[] {
  const mayAssign = useReason(`${family}_assign`)
  const mayUnassign = useReason(`${family}_unassign`)
  const mayName = useReason(`${family}_changeDnsPtr`)
  return (address) => {
    const ofBalancer = address.balancer === null ? undefined : w.isOfBalancer
    const isMove = family === 'floating_ips' && address.server !== null
    const taken = family === 'primary_ips' && address.server !== null ? w.isAssigned : undefined
    return [
      {
        key: 'assign',
        label: isMove ? w.move : w.assign,
        icon: 'link',
        reason: mayAssign ?? ofBalancer ?? taken,
        onSelect: () => ask({ kind: 'assign', address }),
      },
      {
        key: 'unassign',
        label: w.unassign,
        icon: 'undo',
        reason: mayUnassign ?? ofBalancer ?? (address.server === null ? w.isFree : undefined),
        onSelect: () => ask({ kind: 'unassign', address }),
      },
      { key: 'names', label: w.names, icon: 'zone', reason: mayName, onSelect: () => ask({ kind: 'names', address }) },
    ]
  }
}

function textsOf({ name, ip, dnsPtr, location, description }: Address): readonly string[] {
  return [name, ip, location, description ?? '', ...dnsPtr.map((one) => one.dns_ptr)]
}

function columnsOf(family: AddressFamily, names: ReadonlyMap<number, string>): readonly Column<Address>[] {
  return [
    {
      key: 'name',
      label: w.columns.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: ({ name, protection, description }) => (
        <>
          <span className="row">
            <b>{name}</b>
            {protection.delete && <Protected />}
          </span>
          {description && <small>{description}</small>}
        </>
      ),
    },
    {
      key: 'ip',
      label: w.columns.ip,
      card: 'sub',
      isNarrow: true,
      sort: ({ ip }) => ip,
      cell: ({ ip }) => (
        <span className="row">
          <span className="mono">{ip}</span>
          <CopyButton text={ip} label={c.copyName(ip)} />
        </span>
      ),
    },
    {
      key: 'assigned',
      label: w.columns.assigned,
      card: 'stat',
      sort: ({ server }) => names.get(server ?? 0) ?? '',
      cell: (address) => <Assigned address={address} names={names} />,
    },
    {
      key: 'names',
      label: w.columns.names,
      rank: 2,
      isMono: true,
      cell: ({ dnsPtr }) => {
        const [first, ...rest] = dnsPtr
        if (!first) return <None />
        return (
          <>
            {first.dns_ptr}
            {rest.length > 0 && <small>{w.moreNames(rest.length)}</small>}
          </>
        )
      },
    },
    {
      key: 'location',
      label: w.columns.location,
      rank: 2,
      sort: ({ location }) => location,
      cell: ({ location, autoDelete }) => (
        <>
          {location}
          {family === 'primary_ips' && autoDelete && <small>{w.goesWithServer}</small>}
        </>
      ),
    },
    { ...labelsColumn<Address>(), rank: 3 },
    ageColumn(),
  ]
}

interface AssignedProps {
  readonly address: Address
  readonly names: ReadonlyMap<number, string>
}

function Assigned({ address: { server, balancer }, names }: AssignedProps) {
  if (server !== null) {
    return (
      <State mood="ok">
        <Link {...linkTo('servers', 'one', { id: server })}>{names.get(server) ?? server}</Link>
      </State>
    )
  }
  if (balancer === null) return <State mood="off">{w.free}</State>
  return (
    <State mood="ok">
      <Link {...linkTo('load_balancers', 'one', { id: balancer })}>{w.balancer}</Link>
    </State>
  )
}
