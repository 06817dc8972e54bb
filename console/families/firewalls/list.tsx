/** The firewalls of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { useGo } from '../../ui/link.tsx'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { None, Tag, Tags } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { serverIdsOf } from './applied.ts'
import { effectiveCount, type Firewall, firewallActs } from './firewall.ts'
import { internet } from './rule.ts'
import { firewalls as w } from './words.ts'

export function FirewallsPage() {
  const api = useApi()
  const go = useGo()
  const { data: firewalls, dataUpdatedAt } = useSuspenseQuery(api.list('firewalls_list', {}))
  const reason = useReason('firewalls_create')
  const acts = useResourceActs(firewallActs)
  return (
    <ListPage
      family="firewalls"
      words={w}
      rows={firewalls}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: w.create, reason, link: linkTo('firewalls', 'create') }}
      commands={[
        { label: w.list, request: { operation: 'firewalls_list' } },
        { label: w.create, request: { operation: 'firewalls_create', body: example } },
      ]}
      menu={(firewall) =>
        acts.menu(firewall, [
          {
            key: 'clone',
            label: w.clone,
            icon: 'copy',
            reason,
            onSelect: () => void go({ ...linkTo('firewalls', 'create'), search: { from: firewall.id } }),
          },
        ])
      }
    >
      {acts.dialogs}
    </ListPage>
  )
}

const example = {
  name: 'web',
  rules: [{ direction: 'in', protocol: 'tcp', port: '443', source_ips: ['0.0.0.0/0', '::/0'] }],
} as const

function textsOf({ name, rules }: Firewall): readonly string[] {
  return [name, ...rules.flatMap(({ port, description, source_ips }) => [port ?? '', description ?? '', ...source_ips])]
}

const columns: readonly Column<Firewall>[] = [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    sort: ({ name }) => name,
    cell: ({ id, name }) => <NameCell name={name} link={linkTo('firewalls', 'one', { id, tab: 'rules' })} />,
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
  { key: 'open', label: w.columns.open, card: 'sub', cell: ({ rules }) => <OpenPorts rules={rules} /> },
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
  { ...labelsColumn<Firewall>(), rank: 3 },
  ageColumn(),
]

/** Lists what everybody can reach. */
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
