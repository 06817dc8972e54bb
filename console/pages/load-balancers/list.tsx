/** The Load Balancers of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi, useProjectId } from '../../api/api.ts'
import { useProject } from '../../api/session.ts'
import { useReason } from '../../shell/may.ts'
import { ButtonAnchor, ButtonLink } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Labels, None, Tag, Tags } from '../../ui/tag.tsx'
import { Age } from '../../ui/time.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { balancers as english } from '../../words/en/balancers.ts'
import { common } from '../../words/en/common.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { usePlainActs } from '../shared/acts.tsx'
import { ResourceList } from '../shared/resource-list.tsx'
import { type Balancer, serviceText, summaryOf } from './balancer.ts'

const w = wordsOf('balancers', english)
const c = wordsOf('common', common)
const route = getRouteApi('/projects/$project/load-balancers')

export function BalancersPage() {
  const api = useApi()
  const project = useProject()
  const search = route.useSearch()
  const change = route.useNavigate()
  const navigate = useNavigate()
  const { data, dataUpdatedAt } = useSuspenseQuery(api.list('load_balancers_list', {}))
  const columns = useMemo(columnsOf, [])
  const reason = useReason('load_balancers_create')
  const acts = usePlainActs({ family: 'load_balancers', lost: w.lost })
  const params = { project: String(api.project) }
  useShortcut(
    'create',
    reason ? undefined : () => void navigate({ to: '/projects/$project/load-balancers/new', params }),
  )
  return (
    <ResourceList
      words={{ ...w, caption: w.caption(project?.name ?? '') }}
      rows={data}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      menu={(balancer) => acts.menu(balancer)}
      more={
        <ButtonAnchor look="quiet" icon="doc" href="/docs#load-balancers">
          {c.documentation}
        </ButtonAnchor>
      }
      create={
        <ButtonLink
          to="/projects/$project/load-balancers/new"
          params={params}
          look="primary"
          icon="plus"
          reason={reason}
          keys="C"
        >
          {w.create}
        </ButtonLink>
      }
      search={search}
      onSearch={(next) => void change({ search: (old) => ({ ...old, page: undefined, ...next }), replace: true })}
    >
      {acts.dialogs}
    </ResourceList>
  )
}

function textsOf({ public_net: { ipv4, ipv6 }, location, load_balancer_type }: Balancer): readonly string[] {
  return [ipv4.ip, ipv6.ip, location.name, load_balancer_type.name]
}

function columnsOf(): readonly Column<Balancer>[] {
  return [
    {
      key: 'name',
      label: w.columns.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: (balancer) => <Name balancer={balancer} />,
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
    { key: 'labels', label: w.columns.labels, rank: 3, cell: ({ labels }) => <Labels labels={labels} /> },
    {
      key: 'created',
      label: w.columns.created,
      rank: 2,
      isEnd: true,
      isNarrow: true,
      sort: ({ created }) => -Date.parse(created),
      cell: ({ created }) => (
        <span className="dim">
          <Age since={created} />
        </span>
      ),
    },
  ]
}

export function HealthState({ balancer }: { readonly balancer: Balancer }) {
  const { healthy, all, mood } = summaryOf(balancer)
  return <State mood={mood}>{all === 0 ? w.noTargets : w.healthyOf(number(healthy), number(all))}</State>
}

function Name({ balancer: { id, name, protection } }: { readonly balancer: Balancer }) {
  const project = String(useProjectId())
  return (
    <span className="row">
      <Link
        to="/projects/$project/load-balancers/$id/{-$tab}"
        params={{ project, id: String(id) }}
        className={nameClass}
      >
        {name}
      </Link>
      {protection.delete && (
        <span className="row faint" title={w.protected}>
          <Icon name="lock" />
          <span className="vh">{w.protected}</span>
        </span>
      )}
    </span>
  )
}
