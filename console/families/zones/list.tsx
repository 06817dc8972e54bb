/** The DNS zones of a Project. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { useResourceActs } from '../../pages/shared/acts.tsx'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { State } from '../../ui/state.tsx'
import type { Column } from '../../ui/table.tsx'
import { common as c } from '../../words/common.ts'
import { number } from '../../words/format.ts'
import { zones as w } from './words.ts'
import { delegationOf, ttlText, type Zone, zoneActs } from './zone.ts'

const textsOf = ({ name }: Zone) => [name]

const columns: readonly Column<Zone>[] = [
  {
    key: 'name',
    label: c.name,
    card: 'key',
    sort: ({ name }) => name,
    cell: ({ name, mode, protection }) => (
      <NameCell
        name={name}
        link={linkTo('zones', 'one', { zone: name })}
        isProtected={protection.delete}
        small={w.modes[mode]}
      />
    ),
  },
  {
    key: 'delegation',
    label: w.delegationTitle,
    card: 'stat',
    sort: (zone) => delegationOf(zone).text,
    cell: (zone) => {
      const { mood, text } = delegationOf(zone)
      return <State mood={mood}>{text}</State>
    },
  },
  {
    key: 'records',
    label: w.records,
    card: 'sub',
    isEnd: true,
    sort: ({ record_count: count }) => -count,
    cell: ({ record_count: count }) => (
      <>
        <span className="not-card">{number(count)}</span>
        <span className="only-card">{w.recordCount(count)}</span>
      </>
    ),
  },
  { key: 'ttl', label: 'TTL', rank: 2, isEnd: true, sort: ({ ttl }) => ttl, cell: ({ ttl }) => ttlText(ttl) },
  labelsColumn(),
  ageColumn(),
]

export function ZonesPage() {
  const api = useApi()
  const { data: zones, dataUpdatedAt } = useSuspenseQuery(api.list('zones_list', {}))
  const acts = useResourceActs(zoneActs)
  return (
    <ListPage
      family="zones"
      words={w}
      rows={zones}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{ label: w.create, reason: useReason('zones_create'), link: linkTo('zones', 'create') }}
      commands={[
        { label: w.list, request: { operation: 'zones_list' } },
        { label: w.create, request: { operation: 'zones_create', body: { name: 'example.com', mode: 'primary' } } },
      ]}
      menu={(zone) => acts.menu(zone)}
    >
      {acts.dialogs}
    </ListPage>
  )
}
