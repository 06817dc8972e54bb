/** The rows of a long table that are in view. What is above and below is room of the same height. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import styles from './skeleton.module.css'

interface VirtualRowsProps {
  readonly count: number
  readonly columns: number
  /** Nothing for a row that is not here yet. */
  readonly draw: (index: number) => ReactNode
}

export function VirtualRows({ count, columns, draw }: VirtualRowsProps) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    if (body.current) setTop(body.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const rowHeight = useRowHeight(body)
  const virtual = useWindowVirtualizer({ count, estimateSize: () => rowHeight, overscan: 12, scrollMargin: top })
  const items = virtual.getVirtualItems()
  const first = items[0]
  const last = items.at(-1)
  return (
    <tbody ref={body}>
      {first && <Room height={first.start - top} columns={columns} />}
      {items.map(({ index }) => draw(index) ?? <Coming key={`coming-${index}`} columns={columns} />)}
      {last && <Room height={virtual.getTotalSize() - (last.end - top)} columns={columns} />}
    </tbody>
  )
}

/** The height of a row, which density and touch change. */
function useRowHeight(body: { readonly current: HTMLElement | null }): number {
  const [height, setHeight] = useState(44)
  useLayoutEffect(() => {
    const row = body.current?.querySelector('tr[data-row]')
    if (row) setHeight(row.getBoundingClientRect().height)
  }, [body])
  return height
}

/** Stands in the place of a row that is not here yet. */
function Coming({ columns }: { readonly columns: number }) {
  return (
    <tr>
      <td colSpan={columns}>
        <span className={styles.skel} />
      </td>
    </tr>
  )
}

function Room({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height <= 0) return null
  return (
    <tr>
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  )
}
