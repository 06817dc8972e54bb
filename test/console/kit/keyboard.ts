/** What people do with the keyboard: press buttons, fill fields, take entries of menus, confirm dialogs. */
import type { Page } from 'playwright-core'
import { expect, hasFocus, moveTo, press, tabTo } from './harness.ts'

export async function act(page: Page, name: string | RegExp): Promise<void> {
  await tabTo(page, 'button', name)
  await press(page, 'Enter')
}

/** Presses the button of the open dialog that does it; `isLast` says whether none with this title follows. */
export async function confirm(page: Page, title: string | RegExp, name: string, isLast = true): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title })
  const button = dialog.getByRole('button', { name, exact: true })
  await moveTo(button, 50)
  await press(page, 'Enter')
  if (isLast) await expect(dialog).toBeHidden()
}

/** Types the name of what is about to be lost, as its dialog asks, and waits until it is. */
export async function confirmByName(page: Page, name: string): Promise<void> {
  await fill(page, new RegExp(`Type ${name}`), name)
  await press(page, 'Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
}

export async function fill(page: Page, name: string | RegExp, text: string): Promise<void> {
  await tabTo(page, 'textbox', name)
  await press(page, 'Control+a')
  await page.keyboard.insertText(text)
}

/** Takes an entry of the menu of a row. */
export async function choose(page: Page, row: string, entry: string): Promise<void> {
  await act(page, `Actions for ${row}`)
  await take(page, entry)
}

/**
 * Takes an entry of the open menu, by the beginning of its name. The menu takes the focus, and moves it, with the next frame
 * of the browser, so each key waits for what the one before did.
 */
export async function take(page: Page, entry: string | RegExp): Promise<void> {
  const item = page.getByRole('menuitem', { name: typeof entry === 'string' ? new RegExp(`^${entry}`) : entry })
  const focused = page.locator(':focus')
  await expect(page.getByRole('menu').filter({ has: item }).and(page.locator(':focus-within'))).toBeVisible()
  for (let steps = 0; steps < mostEntries && !(await item.evaluate(hasFocus)); steps++) {
    const before = await focused.elementHandle()
    await press(page, 'ArrowDown')
    await expect.poll(() => before?.evaluate(hasFocus)).toBe(false)
  }
  await expect(item).toBeFocused()
  await press(page, 'Enter')
}

const mostEntries = 20

/** Gives a resource another name, by the menu of its row. */
export async function rename(page: Page, from: string, to: string): Promise<void> {
  await choose(page, from, 'Rename')
  await fill(page, 'Name', to)
  await confirm(page, `Rename ${from}`, 'Rename')
}

/** Protects a resource from deletion and takes the protection off again, by the menu of its row. */
export async function protect(page: Page, row: string, isProtected: () => Promise<boolean>): Promise<void> {
  await choose(page, row, 'Protect from')
  await expect.poll(isProtected).toBe(true)
  await expect(page.getByRole('row', { name: new RegExp(row) })).toContainText('rotected')
  await choose(page, row, 'Take the protection off')
  await expect.poll(isProtected).toBe(false)
}
