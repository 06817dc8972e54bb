/** The Load Balancers of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { None, Tag, Tags } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { type Balancer, balancerActs, summaryOf } from './balancer.ts'
import { serviceText } from './health.ts'
import { balancers as w } from './words.ts'

export function BalancersPage() {
  const api = useApi()
  const { data, dataUpdatedAt } = useSuspenseQuery(api.list('load_balancers_list', {}))
  const acts = useResourceActs(balancerActs)
  return (
    <ListPage
      family="load_balancers"
      words={w}
      rows={data}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{
        label: w.create,
        reason: useReason('load_balancers_create'),
        link: linkTo('load_balancers', 'create'),
      }}
      commands={[
        { label: w.list, request: { operation: 'load_balancers_list' } },
        { label: w.create, request: { operation: 'load_balancers_create', body: example } },
      ]}
      menu={(balancer) => acts.menu(balancer)}
    >
      {acts.dialogs}
    </ListPage>
  )
}

const example = { name: 'web', load_balancer_type: 'lb11', location: 'fsn1' }

function textsOf({ name, public_net: { ipv4, ipv6 }, location, load_balancer_type }: Balancer): readonly string[] {
  return [name, ipv4.ip ?? '', ipv6.ip ?? '', location.name, load_balancer_type.name]
}

const columns: readonly Column<Balancer>[] = [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    sort: ({ name }) => name,
    cell: ({ id, name, protection }) => (
      <NameCell name={name} link={linkTo('load_balancers', 'one', { id })} isProtected={protection.delete} />
    ),
  },
  {
    key: 'health',
    label: w.columns.health,
    card: 'stat',
    sort: (balancer) => summaryOf(balancer).healthy,
    cell: (balancer) => <HealthState balancer={balancer} />,
  },
  {
    key: 'services',
    label: w.columns.services,
    rank: 2,
    cell: ({ services }) =>
      services.length === 0 ? (
        <None />
      ) : (
        <Tags>
          {services.map((service) => (
            <Tag key={service.listen_port}>{serviceText(service)}</Tag>
          ))}
        </Tags>
      ),
  },
  {
    key: 'address',
    label: w.columns.address,
    card: 'sub',
    isMono: true,
    cell: ({ public_net: { enabled, ipv4, ipv6 } }) =>
      enabled ? (
        <>
          {ipv4.ip}
          <small>{ipv6.ip}</small>
        </>
      ) : (
        <span className="faint">{w.notPublic}</span>
      ),
  },
  {
    key: 'type',
    label: w.columns.type,
    rank: 2,
    sort: ({ load_balancer_type: { max_connections } }) => max_connections,
    cell: ({ load_balancer_type: { name }, location }) => (
      <>
        {name}
        <small>{location.name}</small>
      </>
    ),
  },
  { ...labelsColumn<Balancer>(), rank: 3 },
  ageColumn(),
]

export function HealthState({ balancer }: { readonly balancer: Balancer }) {
  const { healthy, all, mood } = summaryOf(balancer)
  return <State mood={mood}>{all === 0 ? w.noTargets : w.healthyOf(number(healthy), number(all))}</State>
}
