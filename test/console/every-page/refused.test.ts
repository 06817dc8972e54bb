/** Every page whose data is refused. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { expect, forConsole } from '../kit/harness.ts'
import { judgeInShort } from '../kit/looks.ts'
import { settle } from '../kit/router.ts'
import { asking, go, isOfFrame, pathOf, something } from './walk.ts'

/** Lets the server refuse what the pages read, but not who one is. */
async function refuse(page: Page, status: number, body: () => object, told: (url: string) => void): Promise<void> {
  await page.unrouteAll()
  await page.route(/\/console\/api\//, async (route: Route) => {
    const request = route.request()
    if (isOfFrame(request)) return route.continue()
    told(request.url())
    const { correlation = '', ...error } = body() as { correlation?: string }
    await route.fulfill({
      status,
      contentType: 'application/json',
      headers: { 'x-correlation-id': correlation },
      body: JSON.stringify({ error }),
    })
  })
}

forConsole('every page whose data is refused', (open) => {
  test('says what failed, or what role it needs after it has asked once', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    const { page } = console
    const main = page.getByRole('main')
    let count = 0
    await refuse(
      page,
      409,
      () => ({ code: 'conflict', message: 'not now', correlation: `try-${count}` }),
      () => {},
    )
    await console.visit('')
    for (const [route, one] of asking) {
      count += 1
      await go(console, await pathOf(console, one))
      await expect(main, route).toContainText(`try-${count}`)
      await expect(main, route).toContainText('This could not be loaded')
      await settle(page)
      await judgeInShort(page)
    }
    const asked = new Map<string, number>()
    const role = () => (count % 2 === 0 ? 'Admin' : 'Owner')
    await refuse(
      page,
      403,
      () => ({ code: 'forbidden', message: 'not for you', details: { needs: role().toLowerCase() } }),
      (url) => asked.set(`${count} ${url}`, (asked.get(`${count} ${url}`) ?? 0) + 1),
    )
    await console.visit('')
    for (const [route, one] of asking) {
      count += 1
      await go(console, await pathOf(console, one))
      await expect(main, route).toContainText(`It needs the role ${role()} in this Project. An owner or admin`)
      // What the page has asked besides is answered before the next one asks the same.
      await settle(page)
      await judgeInShort(page)
    }
    assert.deepEqual(
      [...asked].filter(([, times]) => times > 1),
      [],
    )
    await page.unrouteAll()
  })
})
