/** The options of the process and where they come from. Secrets are never among them. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { apiOf, type ItemOf } from '../../api/api.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import { Check } from '../../ui/check.tsx'
import { PageHead } from '../../ui/page.tsx'
import { type Column, nameClass } from '../../ui/table.tsx'
import { None } from '../../ui/tag.tsx'
import { admin } from '../../words/admin.ts'
import { number } from '../../words/format.ts'
import { AdminTabs, FilteredList } from './frame.tsx'

const w = admin.options
const api = apiOf(undefined)

type Option = ItemOf<'management_listOptions'> & { readonly id: number }

const nameOf = ({ flag, environment }: Option) => flag || (environment ?? '')
const textsOf = ({ flag, environment, value, description }: Option) => [
  flag,
  environment ?? '',
  value ?? '',
  description,
]

export function OptionsPage() {
  const { data } = useSuspenseQuery(api.query('management_listOptions', {}))
  const [isShort, setShort] = useState(false)
  const all = data.options.map((option, id) => ({ ...option, id }))
  const shown = isShort ? all.filter(({ source }) => source !== 'default') : all
  return (
    <>
      <PageHead
        title={w.title}
        count={number(shown.length)}
        actions={<CommandsButton request={{ operation: 'management_listOptions' }} />}
      />
      <AdminTabs current="options" />
      <p className="dim">{w.text}</p>
      <FilteredList
        caption={w.caption}
        filter={w.filter}
        filterHint={w.filterHint}
        rows={shown}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={nameOf}
        textsOf={textsOf}
        defaultSort=""
        isTight
        tools={
          <Check kind="switch" checked={isShort} onChange={setShort}>
            {w.onlyChanged}
          </Check>
        }
      />
    </>
  )
}

const columns: readonly Column<Option>[] = [
  {
    key: 'option',
    label: w.option,
    card: 'key',
    sort: nameOf,
    cell: (option) => (
      <>
        <span className={`${nameClass} mono`}>{nameOf(option)}</span>
        <small>{option.description}</small>
      </>
    ),
  },
  { key: 'value', label: w.value, card: 'sub', cell: (option) => <Value option={option} /> },
  {
    key: 'source',
    label: w.source,
    card: 'stat',
    sort: ({ source }) => source,
    cell: ({ source }) => <span className={source === 'default' ? 'dim' : undefined}>{w.sources[source]}</span>,
  },
  {
    key: 'environment',
    label: w.environment,
    rank: 2,
    isMono: true,
    cell: ({ environment }) => environment ?? <None />,
  },
]

function Value({ option: { secret, source, value } }: { readonly option: Option }) {
  if (secret) return <span className="dim">{source === 'default' ? w.secretUnset : w.secretSet}</span>
  if (value === null) return <span className="faint">{w.unset}</span>
  return <span className="mono">{value}</span>
}
