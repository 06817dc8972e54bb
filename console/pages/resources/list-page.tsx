/** The page of a list of resources: heading, filter, groups, table and pages, the same for every family. */
import { type LinkProps, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useRef } from 'react'
import { useProjectId } from '../../api/api.ts'
import { BoxField } from '../../ui/box-field.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Seg } from '../../ui/seg.tsx'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { useFilter } from '../../ui/use-filter.ts'
import { useList } from '../../ui/use-list.ts'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common } from '../../words/en/common.ts'
import { resources as english } from '../../words/en/resources.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import { CommandsButton, type NamedRequest } from './commands.tsx'
import type { ResourceSearch } from './search.ts'

const w = wordsOf('resources', english)
const c = wordsOf('common', common)

export interface Grouping<Row> {
  readonly label: string
  readonly of: (row: Row) => string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** The group that is shown when the address names none; all of them otherwise. */
  readonly standard?: string
}

/** The one thing that a page is for: it opens a page or does something. */
export interface Primary {
  readonly label: string
  readonly reason: string | undefined
  readonly to?: LinkProps['to']
  readonly act?: () => void
}

interface ListPageProps<Row> {
  readonly title: string
  readonly rows: readonly Row[]
  readonly updatedAt: number
  readonly columns: readonly Column<Row>[]
  readonly defaultSort?: string
  /** What the filter looks at besides the labels. */
  readonly textsOf: (row: Row) => readonly string[]
  readonly grouping?: Grouping<Row> | undefined
  readonly primary?: Primary | undefined
  /** Quiet buttons beside the primary one. */
  readonly actions?: ReactNode
  readonly facts?: ReactNode
  readonly commands: readonly NamedRequest[]
  readonly empty: { readonly title: string; readonly text: string; readonly command?: string }
  readonly nameOf: (row: Row) => string
  readonly menu: (row: Row) => readonly MenuEntry[]
  readonly why?: ((row: Row) => ReactNode) | undefined
  /** Between the heading and the list. */
  readonly above?: ReactNode
  /** Draws the rows as something else than a table. */
  readonly draw?: ((rows: readonly Row[]) => ReactNode) | undefined
  /** At the end of the tools. */
  readonly toolsEnd?: ReactNode
  readonly children?: ReactNode
}

interface Row {
  readonly id: number
  readonly labels: Readonly<Record<string, string>>
}

export function ListPage<Item extends Row>(props: ListPageProps<Item>) {
  const { title, rows, updatedAt, primary, actions, facts, commands, empty, above, children } = props
  const button = primary && <PrimaryButton {...primary} />
  return (
    <>
      <PageHead
        title={title}
        count={number(rows.length)}
        facts={facts}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(updatedAt))}</span>
            <CommandsButton requests={commands} />
            {actions}
            {button}
          </>
        }
      />
      {above}
      {rows.length === 0 ? <Empty {...empty} action={button} /> : <ListRows {...props} />}
      {children}
    </>
  )
}

/** The primary button of a page; the key for creating does the same. */
export function PrimaryButton({ label, reason, to, act }: Primary) {
  const project = String(useProjectId())
  const navigate = useNavigate()
  const go = act ?? (() => void navigate({ to, params: { project } } as never))
  useShortcut('create', reason === undefined ? go : undefined)
  if (act) {
    return (
      <Button look="primary" icon="plus" reason={reason} keys="C" onClick={act}>
        {label}
      </Button>
    )
  }
  return (
    <ButtonLink {...({ to, params: { project } } as LinkProps)} look="primary" icon="plus" reason={reason} keys="C">
      {label}
    </ButtonLink>
  )
}

type ListRowsProps<Item> = Pick<
  ListPageProps<Item>,
  | 'title'
  | 'rows'
  | 'columns'
  | 'textsOf'
  | 'grouping'
  | 'defaultSort'
  | 'nameOf'
  | 'menu'
  | 'why'
  | 'draw'
  | 'toolsEnd'
>

/** The list of a page without its heading, for pages that have another one. */
export function ListRows<Item extends Row>(props: ListRowsProps<Item>) {
  const { rows, columns, textsOf, grouping, defaultSort = 'name', draw } = props
  const search = useSearch({ strict: false }) as ResourceSearch
  const navigate = useNavigate()
  const filter = useFilter(search.q ?? '', textsOf)
  const group = search.group ?? grouping?.standard ?? 'all'
  const list = useList({
    rows,
    columns,
    search,
    defaultSort,
    keeps: (row) => filter.keeps(row) && (group === 'all' || !grouping || grouping.of(row) === group),
  })
  const change = (next: ResourceSearch) =>
    void navigate({
      to: '.',
      search: ((old: ResourceSearch) => ({ ...old, page: undefined, ...next })) as never,
      replace: true,
    })
  return (
    <ListFrame>
      <Filters {...{ search, change, problem: filter.problem, grouping, rows, end: props.toolsEnd }} />
      {list.total === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => change({ q: undefined, group: grouping?.standard && 'all' })}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : draw ? (
        draw(list.shown)
      ) : (
        <Table
          caption={props.title}
          columns={columns}
          rows={list.shown}
          idOf={({ id }) => id}
          nameOf={props.nameOf}
          sorting={list.sorting}
          onSort={(sort) => change({ sort })}
          menu={props.menu}
          why={props.why}
        />
      )}
      <Pager
        {...list}
        onPage={(page) => change({ page })}
        onEvery={list.isEvery ? undefined : () => change({ page: 0 })}
      />
    </ListFrame>
  )
}

interface FiltersProps<Item> {
  readonly search: ResourceSearch
  readonly change: (next: ResourceSearch) => void
  readonly problem: string | undefined
  readonly grouping: Grouping<Item> | undefined
  readonly rows: readonly Item[]
  readonly end: ReactNode
}

function Filters<Item>({ search, change, problem, grouping, rows, end }: FiltersProps<Item>) {
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  const standard = grouping?.standard ?? 'all'
  const count = (value: string) => number(rows.filter((row) => grouping?.of(row) === value).length)
  return (
    <Tools end={end}>
      <BoxField
        ref={box}
        icon="search"
        type="search"
        label={w.filter}
        placeholder={w.filterHint}
        hotkey="/"
        value={search.q ?? ''}
        problem={problem}
        onChange={(q) => change({ q: q || undefined })}
      />
      {grouping && (
        <Seg
          label={grouping.label}
          value={search.group ?? standard}
          options={[
            ...grouping.options.map(({ value, label }) => ({ value, label: `${label} ${count(value)}` })),
            { value: 'all', label: `${c.table.all} ${number(rows.length)}` },
          ]}
          onChange={(group) => change({ group: group === standard ? undefined : group })}
        />
      )}
    </Tools>
  )
}
