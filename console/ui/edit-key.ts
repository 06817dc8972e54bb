/** The key that edits: it takes the entry for that from the menu of the row that has the focus, or of the open resource. */
import type { MenuEntry, MenuItem } from './menu-entry.ts'

let isWanted = false

/** Opens the menu, which asks at once what was wanted of it. */
export function edit(): void {
  const row = document.activeElement?.closest('main :is(tr[data-row], li)')
  // The menu of the open resource is in the head of the page, as its title is.
  const head = document.querySelector('main h1')?.parentElement?.parentElement
  const button = [row, head]
    .map((one) => one?.querySelector<HTMLElement>('[aria-haspopup=menu][aria-expanded=false]'))
    .find((one) => one)
  if (!button) return
  isWanted = true
  button.click()
}

/** The entry that a menu which opens now is to take; one that may not be used stays to be read, with its reason. */
export function wantedOf(entries: readonly MenuEntry[]): MenuItem | undefined {
  if (!isWanted) return undefined
  isWanted = false
  return entries.find((entry) => entry !== 'line' && entry.isEdit && entry.reason === undefined) as MenuItem | undefined
}
