/** The columns of a list that are shown. The choice is kept in this browser, for each list by itself. */
import { createStore, useStore } from '../../lib/store.ts'
import type { Column } from '../../ui/table.tsx'

type Hidden = Readonly<Record<string, readonly string[]>>

const key = 'wolke-columns'
const hidden = createStore<Hidden>(read())
const nothing: readonly string[] = []

function read(): Hidden {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Hidden
  } catch {
    return {}
  }
}

/** Hides these columns of a list; none shows all of them again. */
export function hideColumns(list: string, keys: readonly string[]): void {
  const { [list]: _, ...others } = hidden.get()
  hidden.set(keys.length > 0 ? { ...others, [list]: keys } : others)
  try {
    localStorage.setItem(key, JSON.stringify(hidden.get()))
  } catch {
    // It lasts until the page is left.
  }
}

export function useHiddenColumns(list: string | undefined): readonly string[] {
  const { [list ?? '']: keys = nothing } = useStore(hidden)
  return keys
}

/** The name of a row always stays: it is the way to its page. */
export function useShownColumns<Row>(
  list: string | undefined,
  columns: readonly Column<Row>[],
): readonly Column<Row>[] {
  const keys = useHiddenColumns(list)
  return keys.length === 0 ? columns : columns.filter(({ key, card }) => card === 'key' || !keys.includes(key))
}
