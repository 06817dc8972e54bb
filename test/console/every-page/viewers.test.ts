/** Every page as it is for who may only read: it says so at everything that changes something. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Console, expect, forConsole, press } from '../kit/harness.ts'
import { judgeInShort } from '../kit/looks.ts'
import { routesOf, settle } from '../kit/router.ts'
import { states } from '../states/states.ts'
import { everyPage, harmless, type PageOfRoute } from './pages.ts'
import { controlsOf, type Found, go, pages, pathOf, settledControls, something } from './walk.ts'

/** Whether the reason is said, beside a button or in the label of a switch. */
function says(name: string, reason: string): boolean {
  return reason !== '' || name.includes('needs the role')
}

/** What a person who may only read could change, and what is off without saying why. */
function wrongFor(found: readonly Found[]): string[] {
  return found
    .filter(({ name }) => !harmless.some((one) => one.test(name)))
    .flatMap(({ name, isOff, reason }) =>
      isOff ? (says(name, reason) ? [] : [`${name}: off, no reason`]) : [`${name}: on`],
    )
}

async function judgeForViewer(console: Console, one: PageOfRoute): Promise<string[]> {
  const { page } = console
  await go(console, await pathOf(console, one))
  await settle(page)
  await judgeInShort(page)
  if (one.needs) {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You may not see this')
    await expect(page.getByRole('main')).toContainText(`It needs the role ${one.needs}`)
    return []
  }
  if (one.isOwn) return []
  if (one.isForm) {
    await expect(page.getByRole('button', { disabled: true, description: /needs the role/ }).first()).toBeVisible()
    const found = await settledControls(page, 'form')
    return wrongFor(found.filter(({ name }) => !one.fills?.test(name)))
  }
  const wrong = await judgeMenus(page)
  for (const tab of one.tabs ?? []) {
    await go(console, `${await pathOf(console, one)}/${tab}`)
    wrong.push(...(await judgeMenus(page)).map((problem) => `${tab}: ${problem}`))
  }
  return wrong
}

/** Judges what is in view, and every menu of acts. */
async function judgeMenus(page: Page): Promise<string[]> {
  const wrong = wrongFor(await settledControls(page))
  for (const dots of await page
    .locator('main')
    .getByRole('button', { name: /^Actions for/ })
    .all()) {
    await dots.focus()
    await press(page, 'Enter')
    await page.getByRole('menu').waitFor()
    const name = await dots.getAttribute('aria-label')
    wrong.push(...wrongFor(await controlsOf(page, '[role=menu]')).map((problem) => `${name}: ${problem}`))
    await press(page, 'Escape')
    await expect(page.getByRole('menu')).toBeHidden()
  }
  return wrong
}

forConsole('every page', (open) => {
  test('is known here, and the states of each area have their file', async () => {
    const { page, visit } = await open()
    await visit('')
    assert.deepEqual(
      (await routesOf(page)).filter((route) => !everyPage[route]),
      [],
      'add these pages to pages.ts',
    )
    const files = readdirSync(join(import.meta.dirname, '../every-state'))
    assert.deepEqual(
      Object.keys(states).filter((area) => !files.includes(`${area}.test.ts`)),
      [],
    )
  })

  test('can be read by viewers, who see what they may not do', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    await console.visit('')
    const problems: string[] = []
    for (const [route, one] of pages) {
      for (const problem of await judgeForViewer(console, one)) problems.push(`${route}: ${problem}`)
    }
    assert.deepEqual(problems, [])
  })
})
