/** A page with all resources of one kind: filter, table, pager, and what is said when there are none. */
import { type ReactNode, useCallback, useRef } from 'react'
import { BoxField } from '../../ui/box-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import type { MenuEntry } from '../../ui/menu.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { useFilter } from '../../ui/use-filter.ts'
import { type ListSearch, useList } from '../../ui/use-list.ts'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { common } from '../../words/en/common.ts'
import { number, timeOfDay } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'

const c = wordsOf('common', common)

interface Resource {
  readonly id: number
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
}

interface ResourceListProps<Row extends Resource> {
  readonly words: {
    readonly title: string
    readonly caption: string
    readonly filter: string
    readonly filterHint: string
    readonly none: string
    readonly noneText: string
    readonly noneCommand: string
  }
  readonly rows: readonly Row[]
  readonly updatedAt: number
  readonly columns: readonly Column<Row>[]
  /** What the filter looks at besides name and labels. */
  readonly textsOf?: (row: Row) => readonly string[]
  readonly menu: (row: Row) => readonly MenuEntry[]
  readonly why?: (row: Row) => ReactNode
  /** The primary button. */
  readonly create: ReactNode
  /** Between the title and the primary button. */
  readonly more?: ReactNode
  readonly search: ListSearch
  readonly onSearch: (next: ListSearch) => void
  /** Dialogs. */
  readonly children?: ReactNode
}

export function ResourceList<Row extends Resource>(props: ResourceListProps<Row>) {
  const { words, rows, updatedAt, create, more, children } = props
  return (
    <>
      <PageHead
        title={words.title}
        count={number(rows.length)}
        actions={
          <>
            <span className="faint nw not-narrow">{c.updated(timeOfDay(updatedAt))}</span>
            {more}
            {create}
          </>
        }
      />
      {rows.length === 0 ? (
        <Empty title={words.none} text={words.noneText} action={create} command={words.noneCommand} />
      ) : (
        <Rows {...props} />
      )}
      {children}
    </>
  )
}

function Rows<Row extends Resource>(props: ResourceListProps<Row>) {
  const { words, rows, columns, textsOf, menu, why, search, onSearch } = props
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  const texts = useCallback((row: Row) => [row.name, ...(textsOf?.(row) ?? [])], [textsOf])
  const { keeps, problem } = useFilter(search.q ?? '', texts)
  const list = useList({ rows, columns, search, defaultSort: 'name', keeps })
  return (
    <ListFrame>
      <Tools>
        <BoxField
          ref={box}
          icon="search"
          type="search"
          label={words.filter}
          placeholder={words.filterHint}
          hotkey="/"
          value={search.q ?? ''}
          problem={problem}
          onChange={(q) => onSearch({ q: q || undefined })}
        />
      </Tools>
      {list.total === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => onSearch({ q: undefined })}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : (
        <Table
          caption={words.caption}
          columns={columns}
          rows={list.shown}
          idOf={({ id }) => id}
          nameOf={({ name }) => name}
          sorting={list.sorting}
          onSort={(sort) => onSearch({ sort })}
          menu={menu}
          why={why}
        />
      )}
      <Pager
        {...list}
        onPage={(page) => onSearch({ page })}
        onEvery={list.isEvery ? undefined : () => onSearch({ page: 0 })}
      />
    </ListFrame>
  )
}
