/** Keys of lists: J and K go from row to row, X selects, the dot opens the menu. Enter is the link of the row itself. */
import type { RefObject } from 'react'
import { useShortcut } from './use-shortcut.ts'

export function useRowKeys(table: RefObject<HTMLTableElement | null>, canSelect: boolean): void {
  const rows = () => [...(table.current?.querySelectorAll<HTMLElement>('tr[data-row]') ?? [])]
  const current = () => document.activeElement?.closest<HTMLElement>('tr[data-row]') ?? undefined
  const step = (by: number) => {
    const all = rows()
    const row = current()
    const next = row ? all.indexOf(row) + by : 0
    all[Math.max(0, Math.min(next, all.length - 1))]?.querySelector<HTMLElement>('a, [aria-haspopup=menu]')?.focus()
  }
  const press = (selector: string) => current()?.querySelector<HTMLElement>(selector)?.click()
  useShortcut('down', () => step(1))
  useShortcut('up', () => step(-1))
  useShortcut('select', canSelect ? () => press('input[type=checkbox]') : undefined)
  useShortcut('actions', () => press('[aria-haspopup=menu]'))
}
