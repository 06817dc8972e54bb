/** The parts that pages about the installation share: their tabs, and lists that are filtered and paged here. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useRef } from 'react'
import { isThere } from '../../lib/lab.ts'
import { BoxField } from '../../ui/box-field.tsx'
import { Button } from '../../ui/button.tsx'
import type { MenuEntry } from '../../ui/menu-entry.ts'
import { Pager } from '../../ui/pager.tsx'
import { type Column, ListFrame, Table, Tools } from '../../ui/table.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type ListSearch, listSearch, useList } from '../../ui/use-list.ts'
import { useShortcut } from '../../ui/use-shortcut.ts'
import { admin as w } from '../../words/admin.ts'
import { common as c } from '../../words/common.ts'

export type AdminTab = keyof typeof w.tabs

/** The pages about the installation; only a lab has the last ones. */
export const adminTabs = (Object.keys(w.tabs) as AdminTab[]).filter(isThere)

export function AdminTabs({ current }: { readonly current: AdminTab }) {
  return (
    <Tabs
      label={w.label}
      current={current}
      tabs={adminTabs.map((key) => ({ key, label: w.tabs[key], link: { to: '/admin/{-$tab}', params: { tab: key } } }))}
    />
  )
}

interface FilteredProps<Row> {
  readonly caption: string
  readonly filter: string
  readonly filterHint: string
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly idOf: (row: Row) => number
  readonly nameOf: (row: Row) => string
  /** The texts that find a row. */
  readonly textsOf: (row: Row) => readonly string[]
  readonly menu?: (row: Row) => readonly MenuEntry[]
  readonly defaultSort: string
  readonly tools?: ReactNode
  readonly isTight?: boolean
}

export function FilteredList<Row>(props: FilteredProps<Row>) {
  const { caption, filter, filterHint, rows, columns, idOf, nameOf, textsOf, menu, defaultSort, tools, isTight } = props
  const search = listSearch(useSearch({ strict: false }))
  const navigate = useNavigate()
  const change = (next: ListSearch) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, page: undefined, ...next }), replace: true } as never)
  const box = useRef<HTMLInputElement>(null)
  useShortcut('filter', () => box.current?.focus())
  const asked = (search.q ?? '').trim().toLowerCase()
  const keeps = useCallback(
    (row: Row) => textsOf(row).some((text) => text.toLowerCase().includes(asked)),
    [asked, textsOf],
  )
  const list = useList({ rows, columns, search, defaultSort, keeps: asked === '' ? undefined : keeps })
  return (
    <ListFrame>
      <Tools>
        <BoxField
          ref={box}
          icon="search"
          type="search"
          label={filter}
          placeholder={filterHint}
          hotkey="/"
          value={search.q ?? ''}
          onChange={(q) => change({ q: q || undefined })}
        />
        {tools}
      </Tools>
      {list.total === 0 ? (
        <p className="row dim">
          {c.table.nothingFits}
          <Button small onClick={() => change({ q: undefined })}>
            {c.table.clearFilter}
          </Button>
        </p>
      ) : (
        <Table
          caption={caption}
          columns={columns}
          rows={list.shown}
          idOf={idOf}
          nameOf={nameOf}
          sorting={list.sorting}
          onSort={(sort) => change({ sort })}
          menu={menu}
          isTight={isTight}
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
