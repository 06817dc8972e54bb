/** The private networks of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import type { Column } from '../../ui/table.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { type Network, networkActs } from './network.ts'
import { networks as w } from './words.ts'

const textsOf = ({ name, ip_range: range, subnets }: Network) => [name, range, ...subnets.map((one) => one.ip_range)]

const columns: readonly Column<Network>[] = [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    sort: ({ name }) => name,
    cell: ({ id, name, protection }) => (
      <NameCell name={name} link={linkTo('networks', 'one', { id })} isProtected={protection.delete} />
    ),
  },
  {
    key: 'range',
    label: w.range,
    card: 'stat',
    isMono: true,
    sort: ({ ip_range: range }) => range,
    cell: ({ ip_range: range }) => range,
  },
  {
    key: 'subnets',
    label: w.subnets,
    card: 'sub',
    isMono: true,
    cell: ({ subnets }) => (
      <>
        {subnets.slice(0, 2).map(({ ip_range: range, network_zone: zone }) => (
          <span key={range} className="row">
            {range} <small>{zone}</small>
          </span>
        ))}
        {subnets.length > 2 && <small>{c.andMore(subnets.length - 2)}</small>}
        {subnets.length === 0 && <span className="faint">{c.none}</span>}
      </>
    ),
  },
  {
    key: 'members',
    label: w.members,
    isEnd: true,
    sort: ({ servers, load_balancers: balancers }) => -(servers.length + balancers.length),
    cell: ({ servers, load_balancers: balancers }) => number(servers.length + balancers.length),
  },
  {
    key: 'routes',
    label: w.routes,
    isEnd: true,
    rank: 2,
    sort: ({ routes }) => -routes.length,
    cell: ({ routes }) => number(routes.length),
  },
  labelsColumn(),
  ageColumn(),
]

export function NetworksPage() {
  const api = useApi()
  const { data: networks, dataUpdatedAt } = useSuspenseQuery(api.list('networks_list', {}))
  const acts = useResourceActs(networkActs)
  const id = networks[0]?.id ?? 1
  const subnet = { type: 'cloud', network_zone: 'eu-central', ip_range: '10.0.1.0/24' } as const
  return (
    <ListPage
      family="networks"
      words={w}
      rows={networks}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: w.create, reason: useReason('networks_create'), link: linkTo('networks', 'create') }}
      commands={[
        { label: w.list, request: { operation: 'networks_list' } },
        {
          label: w.create,
          request: { operation: 'networks_create', body: { name: 'internal', ip_range: '10.0.0.0/16' } },
        },
        { label: w.addSubnet, request: { operation: 'networks_addSubnet', params: { id }, body: subnet } },
      ]}
      menu={(network) => acts.menu(network)}
    >
      {acts.dialogs}
    </ListPage>
  )
}
