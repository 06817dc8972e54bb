/** The page of a list of resources: heading, filter, groups, table and pages, the same for every family. */

import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { useProject } from '../../api/session.ts'
import { CommandsButton } from '../../shell/commands-button.tsx'
import type { NamedRequest } from '../../shell/named-request.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBox } from '../../ui/filter-box.tsx'
import { firstPicture } from '../../ui/layers.ts'
import { type Target, useGo } from '../../ui/link.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { PageHead } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { Seg } from '../../ui/seg.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { useFilter } from '../../ui/use-filter.ts'
import { useList } from '../../ui/use-list.ts'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common as c } from '../../words/common.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { useShownColumns } from './columns.ts'
import type { ResourceSearch } from './search.ts'

const ListTools = lazy(async () => {
  await firstPicture
  return { default: (await import('./list-tools.tsx')).ListTools }
})

interface Grouping<Row> {
  readonly label: string
  readonly of: (row: Row) => string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** The group that is shown when the address names none; all of them otherwise. */
  readonly standard?: string
  /** Its name in the address, when that is not `group`. */
  readonly param?: 'status'
}

/** The one thing that a page is for: it opens a page or does something. */
interface Primary {
  readonly label: string
  readonly reason: string | undefined
  readonly link?: Target
  readonly act?: () => void
}

interface ListWords {
  readonly title: string
  readonly caption?: (project: string) => string
  readonly filter?: string
  readonly filterHint?: string
  readonly none: string
  readonly noneText: string
  readonly noneCommand?: string
}

interface ListPageProps<Item> extends Omit<ListRowsProps<Item>, 'title' | 'nameOf' | 'list' | 'filter' | 'filterHint'> {
  /** Names the list where choices about it are kept, and its files. */
  readonly family: string
  readonly words: ListWords
  readonly updatedAt: number
  readonly primary?: Primary | undefined
  /** Quiet buttons beside the primary one. */
  readonly actions?: ReactNode
  readonly facts?: ReactNode
  readonly commands: readonly NamedRequest[]
  /** Between the heading and the list. */
  readonly above?: ReactNode
  readonly children?: ReactNode
}

interface Row {
  readonly id: number
  readonly labels: Readonly<Record<string, string>>
}

export function ListPage<Item extends Row & { readonly name: string }>(props: ListPageProps<Item>) {
  const { family, words, rows, more = 0, updatedAt, primary, actions, facts, commands, above, children } = props
  const project = useProject()
  const button = primary && <PrimaryButton {...primary} />
  const { title, none, noneText, noneCommand } = words
  return (
    <>
      <PageHead
        title={title}
        count={number(rows.length + more)}
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
      {rows.length === 0 ? (
        <Empty title={none} text={noneText} action={button} command={noneCommand} />
      ) : (
        <ListRows
          {...props}
          filter={words.filter}
          filterHint={words.filterHint}
          title={words.caption?.(project?.name ?? '') ?? title}
          nameOf={({ name }) => name}
          list={family}
        />
      )}
      {children}
    </>
  )
}

/** The primary button of a page; the key for creating does the same. */
export function PrimaryButton({ label, reason, link, act }: Primary) {
  const go = useGo()
  const create = act ?? (() => link && void go(link))
  useShortcut('create', reason === undefined ? create : undefined)
  if (!link) {
    return (
      <Button look="primary" icon="plus" reason={reason} keys="C" onClick={act}>
        {label}
      </Button>
    )
  }
  return (
    <ButtonLink {...link} look="primary" icon="plus" reason={reason} keys="C">
      {label}
    </ButtonLink>
  )
}

interface ListRowsProps<Item> {
  /** Names the table. */
  readonly title: string
  readonly filter?: string | undefined
  readonly filterHint?: string | undefined
  readonly rows: readonly Item[]
  /** The number of rows that are not here; a list can only be searched when all are. */
  readonly more?: number
  /** Asks for the rows that are not here. */
  readonly onNeedAll?: (() => void) | undefined
  readonly columns: readonly Column<Item>[]
  readonly defaultSort?: string
  /** The texts that the filter searches besides the labels. */
  readonly textsOf: (row: Item) => readonly string[]
  readonly grouping?: Grouping<Item> | undefined
  readonly nameOf: (row: Item) => string
  readonly menu: (row: Item) => readonly MenuEntry[] | Promise<readonly MenuEntry[]>
  readonly why?: ((row: Item) => ReactNode) | undefined
  /** Draws the rows as something else than a table. */
  readonly draw?: ((rows: readonly Item[]) => ReactNode) | undefined
  readonly toolsEnd?: ReactNode
  /** The acts on rows that are selected; without it none can be. */
  readonly bar?: ((rows: readonly Item[], clear: () => void) => ReactNode) | undefined
  /** The name under which choices of columns are kept; without it there are none. */
  readonly list?: string | undefined
}

/** The list of a page without its heading, for pages that have another one. */
export function ListRows<Item extends Row>(props: ListRowsProps<Item>) {
  const { rows, more = 0, onNeedAll, textsOf, grouping, defaultSort = 'name', draw, bar, list: name, toolsEnd } = props
  const columns = useShownColumns(name, props.columns)
  const asked = useSearch({ strict: false }) as ResourceSearch
  // What is typed is on the screen at once; the rows follow when there is time.
  const search = useDeferredValue(asked)
  const navigate = useNavigate()
  const [picked, pick] = useState<ReadonlySet<number>>(new Set())
  const { keeps, problem } = useFilter(search.q ?? '', textsOf)
  const param = grouping?.param ?? 'group'
  const group = search[param] ?? grouping?.standard ?? 'all'
  const isSearched = [search.q, search[param], search.sort, search.page].some(Boolean)
  const needAll = more > 0 ? onNeedAll : undefined
  useEffect(() => {
    if (isSearched || search.page === 0) needAll?.()
  }, [isSearched, search.page, needAll])
  const groupOf = group === 'all' ? undefined : grouping?.of
  const keepsInGroup = useCallback(
    (row: Item) => keeps(row) && (groupOf === undefined || groupOf(row) === group),
    [keeps, groupOf, group],
  )
  const list = useList({
    rows,
    more,
    columns: props.columns,
    search,
    defaultSort,
    keeps: keepsInGroup,
  })
  const change = (next: ResourceSearch) =>
    void navigate({
      to: '.',
      search: ((old: ResourceSearch) => ({ ...old, page: undefined, ...next })) as never,
      replace: true,
    })
  const end = name ? (
    <Suspense fallback={toolsEnd}>
      <ListTools name={name} columns={props.columns} rows={more > 0 ? undefined : list.all}>
        {toolsEnd}
      </ListTools>
    </Suspense>
  ) : (
    toolsEnd
  )
  const chosen = bar && picked.size > 0 ? rows.filter(({ id }) => picked.has(id)) : []
  return (
    <ListFrame>
      <Filters {...props} {...{ change, problem, end, needAll }} search={asked} />
      {more > 0 && isSearched ? (
        <Skeleton />
      ) : list.total === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => change({ q: undefined, [param]: grouping?.standard && 'all' })}>
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
          more={list.isEvery ? more : 0}
          idOf={({ id }) => id}
          nameOf={props.nameOf}
          sorting={list.sorting}
          onSort={(sort) => change({ sort })}
          selection={bar && { ids: picked, change: pick }}
          menu={props.menu}
          why={props.why}
        />
      )}
      <Pager
        {...list}
        total={list.total + more}
        onPage={(page) => change({ page })}
        onEvery={list.isEvery ? undefined : () => change({ page: 0 })}
      />
      {chosen.length > 0 && bar?.(chosen, () => pick(new Set()))}
    </ListFrame>
  )
}

/** Counts the rows of each group. */
function useCounts<Item>(
  rows: readonly Item[],
  groupOf: ((row: Item) => string) | undefined,
): ReadonlyMap<string, number> {
  return useMemo(() => {
    const counts = new Map<string, number>()
    if (groupOf) for (const row of rows) counts.set(groupOf(row), (counts.get(groupOf(row)) ?? 0) + 1)
    return counts
  }, [rows, groupOf])
}

interface FiltersProps<Item> extends Pick<ListRowsProps<Item>, 'filter' | 'filterHint' | 'grouping' | 'rows' | 'more'> {
  readonly search: ResourceSearch
  readonly change: (next: ResourceSearch) => void
  readonly problem: string | undefined
  readonly end: ReactNode
  readonly needAll: (() => void) | undefined
}

function Filters<Item>(props: FiltersProps<Item>) {
  const { search, change, problem, grouping, rows, more = 0, end, needAll } = props
  const { filter = c.table.filter, filterHint = c.table.filterHint } = props
  const { param = 'group', standard = 'all', options = [] } = grouping ?? {}
  const all = { value: 'all', label: `${c.table.all} ${number(rows.length + more)}` }
  const counts = useCounts(rows, grouping?.of)
  const groups = options.map(({ value, label }) => ({
    value,
    label: more ? label : `${label} ${number(counts.get(value) ?? 0)}`,
  }))
  return (
    // Who comes to the tools is about to need what they work on.
    <Tools end={end} onNear={needAll}>
      <FilterBox label={filter} hint={filterHint} value={search.q} problem={problem} onChange={(q) => change({ q })} />
      {grouping && (
        <Seg
          label={grouping.label}
          value={search[param] ?? standard}
          // What is shown at first comes first.
          options={standard === 'all' ? [all, ...groups] : [...groups, all]}
          onChange={(group) => change({ [param]: group === standard ? undefined : group })}
        />
      )}
    </Tools>
  )
}
