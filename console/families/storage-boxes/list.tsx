/** The Storage Boxes of a Project. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useApi } from '../../api/api.ts'
import { linkTo } from '../../families.ts'
import { aMonth } from '../../lib/money.ts'
import { ageColumn, labelsColumn, NameCell } from '../../pages/shared/cells.tsx'
import { ListPage } from '../../pages/shared/list-page.tsx'
import { useReason } from '../../shell/may.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Progress } from '../../ui/progress.tsx'
import { type Column, workClass } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { common as c } from '../../words/common.ts'
import { resources as r } from '../../words/resources.ts'
import { ratesIn } from '../pricing/lines.ts'
import { useBoxActs } from './acts.tsx'
import type { Box } from './box.ts'
import { BoxState } from './status.tsx'
import { almostFull, sizeText, usageOf } from './usage.ts'
import { boxes as w } from './words.ts'

const textsOf = ({ name, username, server, storage_box_type: type, location }: Box) => [
  name,
  username ?? '',
  server ?? '',
  type.name,
  location.name,
]

export function BoxesPage() {
  const api = useApi()
  const { data: boxes, dataUpdatedAt } = useSuspenseQuery(api.list('storage_boxes_list', {}))
  const { data: prices } = useQuery(api.query('pricing_get', {}))
  const acts = useBoxActs()
  const currency = prices?.pricing.currency
  const columns = useMemo(() => columnsFor(currency), [currency])
  return (
    <ListPage
      family="storage_boxes"
      words={w}
      rows={boxes}
      updatedAt={dataUpdatedAt}
      columns={columns}
      textsOf={textsOf}
      primary={{
        label: w.create,
        reason: useReason('storage_boxes_create'),
        link: linkTo('storage_boxes', 'create'),
      }}
      commands={[
        { label: w.list, request: { operation: 'storage_boxes_list' } },
        { label: w.create, request: { operation: 'storage_boxes_create', body: example } },
      ]}
      menu={acts.menu}
    >
      {acts.dialogs}
    </ListPage>
  )
}

const example = {
  name: 'backups',
  storage_box_type: 'bx11',
  location: 'fsn1',
  password: '<password>',
  access_settings: { ssh_enabled: true },
}

/** Prices are not known yet while there is no currency. */
function columnsFor(currency: string | undefined): readonly Column<Box>[] {
  return [
    {
      key: 'name',
      label: c.name,
      card: 'key',
      sort: ({ name }) => name,
      cell: ({ id, name, protection }) => (
        <NameCell name={name} link={linkTo('storage_boxes', 'one', { id })} isProtected={protection.delete} />
      ),
    },
    {
      key: 'status',
      label: r.status,
      card: 'stat',
      sort: ({ status }) => status,
      cell: (box) => <BoxState box={box} />,
    },
    {
      key: 'usage',
      label: w.usage,
      card: 'sub',
      sort: ({ stats }) => -stats.size,
      cell: (box) => <Usage box={box} />,
    },
    {
      key: 'host',
      label: w.host,
      rank: 2,
      isMono: true,
      cell: ({ server }) =>
        server === null ? (
          <None />
        ) : (
          <span className="row">
            {server}
            <CopyButton text={server} label={c.copyName(server)} />
          </span>
        ),
    },
    {
      key: 'type',
      label: r.type,
      rank: 2,
      sort: ({ storage_box_type: { size } }) => size,
      cell: ({ storage_box_type: { name, prices }, location }) => {
        const cost = ratesIn(prices, location.name)
        return (
          <>
            {name} · {location.name}
            {cost && currency && <small>{aMonth(cost.monthly, currency)}</small>}
          </>
        )
      },
    },
    { ...labelsColumn<Box>(), rank: 3 },
    ageColumn(),
  ]
}

function Usage({ box }: { readonly box: Box }) {
  const { used } = usageOf(box)
  const text = w.usedOf(sizeText(box.stats.size), sizeText(box.storage_box_type.size))
  return (
    <span className={workClass}>
      <span className="num">{text}</span>
      <Progress value={used} label={`${box.name}: ${text}`} tone={used >= almostFull ? 'warn' : 'ink'} />
    </span>
  )
}
