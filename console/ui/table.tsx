/**
 * Many things of one kind: columns that can be sorted and hidden, a selection, a menu in each row, and a row below the
 * one that failed. On narrow screens the rows become cards made of the marked cells.
 */
import { lazy, memo, type ReactNode, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { common as w } from '../words/common.ts'
import { number } from '../words/format.ts'
import { Check } from './check.tsx'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import { DotsMenu, type Entries } from './menu.tsx'
import styles from './table.module.css'
import { useRowKeys } from './use-row-keys.ts'
import { useStages } from './use-stages.ts'

/** Longer tables draw only the rows in view. */
const mostDrawn = 200
/** The number of rows that are drawn with each picture, after those in view. */
const atOnce = 12
/** The height that is kept for the others, so that a page is scrolled to where it was. */
const rowRem = 2.75
const Virtual = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }))

export interface Column<Row> {
  readonly key: string
  readonly label: string
  readonly cell: (row: Row) => ReactNode
  /** Returns what a row is sorted by; without it the column cannot be sorted. */
  readonly sort?: ((row: Row) => string | number) | undefined
  /** Its place in a card: `key` is the name, `stat` the state, `sub` the line below, `time` its end where rows have no menu. */
  readonly card?: 'key' | 'stat' | 'sub' | 'time' | undefined
  /** Left out on narrow tables: 2 below 50 rem, 3 below 62 rem. */
  readonly rank?: 2 | 3 | undefined
  readonly isEnd?: boolean | undefined
  readonly isMono?: boolean | undefined
  readonly isNarrow?: boolean | undefined
  /** Drawn at the head instead of the label, such as an axis. */
  readonly head?: ReactNode
  readonly className?: string | undefined
}

/** `name` or `name:desc`. */
export type Sorting = string

interface Selection {
  readonly ids: ReadonlySet<number>
  readonly change: (ids: ReadonlySet<number>) => void
}

interface TableProps<Row> {
  /** Names the table for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** The number of rows that follow but are not here yet; room is kept for them. */
  readonly more?: number
  readonly idOf: (row: Row) => number
  readonly nameOf: (row: Row) => string
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((sorting: Sorting) => void) | undefined
  readonly selection?: Selection | undefined
  readonly menu?: ((row: Row) => Entries) | undefined
  /** Returns what is said below a row, such as why it failed. */
  readonly why?: ((row: Row) => ReactNode) | undefined
  readonly isTight?: boolean | undefined
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, more = 0, selection, menu, isTight = false } = props
  const table = useRef<HTMLTableElement>(null)
  const isLong = rows.length + more > mostDrawn
  const drawn = useDrawn(isLong ? 0 : rows.length)
  const hasSub = columns.some(({ card }) => card === 'sub')
  useRowKeys(table, selection !== undefined)
  const acts = useRowActs(props)
  const draw = (row: Row) => {
    const id = props.idOf(row)
    return (
      <Line
        key={id}
        id={id}
        row={row}
        name={props.nameOf(row)}
        columns={columns as readonly Column<unknown>[]}
        isPicked={selection?.ids.has(id)}
        reason={props.why?.(row)}
        hasMenu={menu !== undefined}
        acts={acts}
      />
    )
  }
  return (
    <table ref={table} className={cx(styles.table, styles.cards, isTight && styles.tight, !hasSub && styles['no-sub'])}>
      <caption className="vh">{caption}</caption>
      <thead>
        <tr>
          {selection && (
            <th scope="col" className={styles.pick}>
              <PickAll rows={rows.map(props.idOf)} selection={selection} />
            </th>
          )}
          {columns.map((column) => (
            <Head key={column.key} column={column} sorting={props.sorting} onSort={props.onSort} />
          ))}
          {menu && (
            <th scope="col">
              <span className="vh">{w.details}</span>
            </th>
          )}
        </tr>
      </thead>
      {isLong ? (
        <Suspense fallback={<tbody>{rows.slice(0, inView()).map(draw)}</tbody>}>
          <Virtual
            count={rows.length + more}
            columns={columns.length + 2}
            draw={(index) => rows[index] && draw(rows[index])}
          />
        </Suspense>
      ) : (
        <tbody>
          {rows.slice(0, drawn).map(draw)}
          {rows.length > drawn && (
            <tr>
              <td style={{ height: `${(rows.length - drawn) * rowRem}rem` }} />
            </tr>
          )}
        </tbody>
      )}
    </table>
  )
}

/** Returns the number of rows that a window shows below the title of a page, at most. */
const inView = () => Math.max(atOnce, Math.ceil(innerHeight / 16 / rowRem) - 4)

/** Returns the number of rows that are drawn by now, of those that are there at first. */
function useDrawn(count: number): number {
  const [first] = useState(inView)
  const [last] = useState(() => Math.ceil((count - first) / atOnce))
  const stage = useStages(last)
  return stage < last ? first + atOnce * stage : Number.POSITIVE_INFINITY
}

interface RowActs {
  pick(id: number, on: boolean): void
  menuOf(row: unknown): Entries
}

/** Returns the acts of rows, the same while the table is drawn anew: rows in which nothing changed are left alone. */
function useRowActs<Row>(props: TableProps<Row>): RowActs {
  const latest = useRef(props)
  useLayoutEffect(() => {
    latest.current = props
  })
  return useMemo(
    () => ({
      pick(id, on) {
        const { selection } = latest.current
        selection?.change(withId(selection.ids, id, on))
      },
      menuOf: (row) => latest.current.menu?.(row as Row) ?? [],
    }),
    [],
  )
}

interface LineProps {
  readonly id: number
  readonly row: unknown
  readonly name: string
  readonly columns: readonly Column<unknown>[]
  /** Nothing where rows cannot be picked. */
  readonly isPicked: boolean | undefined
  readonly reason: ReactNode
  readonly hasMenu: boolean
  readonly acts: RowActs
}

const Line = memo(function Line({ id, row, name, columns, isPicked, reason, hasMenu, acts }: LineProps) {
  return (
    <>
      <tr aria-selected={isPicked || undefined} className={cx(reason && styles['is-bad'])} data-row={id}>
        {isPicked !== undefined && (
          <td className={styles.pick}>
            <Check checked={isPicked} aria-label={w.table.select(name)} onChange={(on) => acts.pick(id, on)} />
          </td>
        )}
        {columns.map((column) => (
          <td key={column.key} className={classOf(column)}>
            {column.cell(row)}
          </td>
        ))}
        {hasMenu && (
          <td className={styles['menu-cell']}>
            <DotsMenu label={w.actionsFor(name)} entries={() => acts.menuOf(row)} />
          </td>
        )}
      </tr>
      {reason && (
        <tr className={styles.why}>
          {isPicked !== undefined && <td />}
          <td colSpan={columns.length + (hasMenu ? 1 : 0)}>{reason}</td>
        </tr>
      )}
    </>
  )
})

function classOf<Row>({ card, rank, isEnd, isMono, isNarrow, className }: Column<Row>): string {
  const place = cx(card && styles[card], rank && styles[`c${rank}`], className)
  return cx(place, isEnd && styles.right, isMono && 'mono', isNarrow && 'nw')
}

function Head<Row>({
  column,
  sorting = '',
  onSort,
}: {
  readonly column: Column<Row>
  readonly sorting: Sorting | undefined
  readonly onSort: ((sorting: Sorting) => void) | undefined
}) {
  const [field, direction] = sorting.split(':')
  const isSorted = field === column.key
  const isDown = isSorted && direction === 'desc'
  const className = cx(column.rank && styles[`c${column.rank}`], column.isEnd && styles.right, column.className)
  if (!column.sort || !onSort) {
    return (
      <th scope="col" className={className}>
        {column.head ?? column.label}
      </th>
    )
  }
  return (
    <th scope="col" className={className} aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}>
      <button type="button" onClick={() => onSort(isSorted && !isDown ? `${column.key}:desc` : column.key)}>
        {column.label} {isSorted && <Icon name={isDown ? 'down' : 'up'} />}
      </button>
    </th>
  )
}

function PickAll({ rows, selection }: { readonly rows: readonly number[]; readonly selection: Selection }) {
  const picked = rows.filter((id) => selection.ids.has(id)).length
  return (
    <Check
      checked={picked > 0 && picked === rows.length}
      isMixed={picked > 0 && picked < rows.length}
      aria-label={w.table.selectAll(number(picked), number(rows.length))}
      onChange={(on) => {
        // Rows picked on other pages stay so.
        const others = [...selection.ids].filter((id) => !rows.includes(id))
        selection.change(new Set(on ? [...others, ...rows] : others))
      }}
    />
  )
}

function withId(ids: ReadonlySet<number>, id: number, on: boolean): ReadonlySet<number> {
  const next = new Set(ids)
  if (on) next.add(id)
  else next.delete(id)
  return next
}

/** The frame of a list: tools, table and pager. Columns drop out by the width of this frame. */
export function ListFrame({ children }: { readonly children: ReactNode }) {
  return <div className={styles['stack-t']}>{children}</div>
}

interface ToolsProps {
  readonly children: ReactNode
  readonly end?: ReactNode
  /** Somebody comes to the tools with the pointer or the keyboard. */
  readonly onNear?: (() => void) | undefined
}

/** The line above a table: filter, choices, and at the end what concerns the columns. */
export function Tools({ children, end, onNear }: ToolsProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is operated here, it is only noticed who comes
    <div className={styles.tools} onFocus={onNear} onPointerEnter={onNear}>
      {children}
      {end && <span className="end not-narrow">{end}</span>}
    </div>
  )
}

/** The name of a row, which is the link to it. */
export const nameClass = styles.name

/** A state with a bar below it. */
export const workClass = styles.work
