/** The firewalls of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useApi, useProjectId } from '../../api/api.ts'
import { useProject } from '../../api/session.ts'
import { useReason } from '../../shell/may.ts'
import { ButtonAnchor, ButtonLink } from '../../ui/button.tsx'
import { State } from '../../ui/state.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { Labels, None, Tag, Tags } from '../../ui/tag.tsx'
import { Age } from '../../ui/time.tsx'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common } from '../../words/en/common.ts'
import { firewalls as english } from '../../words/en/firewalls.ts'
import { number } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { usePlainActs } from '../shared/acts.tsx'
import { ResourceList } from '../shared/resource-list.tsx'
import { effectiveCount, type Firewall, serverIdsOf } from './firewall.ts'
import { internet } from './rule.ts'

const w = wordsOf('firewalls', english)
const c = wordsOf('common', common)
const route = getRouteApi('/projects/$project/firewalls')

export function FirewallsPage() {
  const api = useApi()
  const project = useProject()
  const search = route.useSearch()
  const navigate = useNavigate()
  const change = route.useNavigate()
  const { data: firewalls, dataUpdatedAt } = useSuspenseQuery(api.list('firewalls_list', {}))
  const reason = useReason('firewalls_create')
  const acts = usePlainActs({ family: 'firewalls', lost: w.lost })
  const columns = useMemo(columnsOf, [])
  const params = { project: String(api.project) }
  useShortcut('create', reason ? undefined : () => void navigate({ to: '/projects/$project/firewalls/new', params }))
  return (
    <ResourceList
      words={{ ...w, caption: w.caption(project?.name ?? '') }}
      rows={firewalls}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      menu={(firewall) => [
        {
          key: 'clone',
          label: w.clone,
          icon: 'copy',
          reason,
          onSelect: () =>
            void navigate({ to: '/projects/$project/firewalls/new', params, search: { from: firewall.id } }),
        },
        ...acts.menu(firewall, firewall.applied_to.length > 0 ? w.isApplied : undefined),
      ]}
      more={
        <ButtonAnchor look="quiet" icon="doc" href="/docs#firewalls">
          {c.documentation}
        </ButtonAnchor>
      }
      create={
        <ButtonLink
          to="/projects/$project/firewalls/new"
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

function textsOf({ rules }: Firewall): readonly string[] {
  return rules.flatMap(({ port, description, source_ips }) => [port ?? '', description ?? '', ...source_ips])
}

function columnsOf(): readonly Column<Firewall>[] {
  return [
    {
      key: 'name',
      label: w.columns.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: (firewall) => <Name firewall={firewall} />,
    },
    {
      key: 'applied',
      label: w.columns.applied,
      card: 'stat',
      sort: (firewall) => serverIdsOf(firewall).length,
      cell: (firewall) => {
        const count = serverIdsOf(firewall).length
        return <State mood={count > 0 ? 'ok' : 'off'}>{w.serverCount(count)}</State>
      },
    },
    {
      key: 'open',
      label: w.columns.open,
      card: 'sub',
      cell: ({ rules }) => <OpenPorts rules={rules} />,
    },
    {
      key: 'rules',
      label: w.columns.rules,
      isEnd: true,
      isNarrow: true,
      rank: 2,
      sort: ({ rules }) => rules.length,
      cell: ({ rules }) => (
        <>
          {number(rules.length)}
          <small>{w.effective(number(effectiveCount(rules)))}</small>
        </>
      ),
    },
    { key: 'labels', label: w.columns.labels, rank: 3, cell: ({ labels }) => <Labels labels={labels} /> },
    {
      key: 'created',
      label: w.columns.created,
      isEnd: true,
      isNarrow: true,
      rank: 2,
      sort: ({ created }) => -Date.parse(created),
      cell: ({ created }) => (
        <span className="dim">
          <Age since={created} />
        </span>
      ),
    },
  ]
}

function Name({ firewall: { id, name } }: { readonly firewall: Firewall }) {
  const project = useProjectId()
  return (
    <Link
      to="/projects/$project/firewalls/$id/{-$tab}"
      params={{ project: String(project), id: String(id), tab: 'rules' }}
      className={nameClass}
    >
      {name}
    </Link>
  )
}

/** What everybody can reach. */
function OpenPorts({ rules }: { readonly rules: Firewall['rules'] }) {
  const open = rules
    .filter(({ source_ips }) => source_ips.some((network) => internet.some((all) => all === network)))
    .map(({ protocol, port }) => (port === null ? protocol : protocol === 'tcp' ? port : `${port}/${protocol}`))
  const texts = [...new Set(open)]
  if (texts.length === 0) return <None />
  return (
    <Tags>
      {texts.slice(0, 6).map((text) => (
        <Tag key={text} tone="open">
          {text}
        </Tag>
      ))}
      {texts.length > 6 && <span className="faint">{w.morePorts(texts.length - 6)}</span>}
    </Tags>
  )
}
