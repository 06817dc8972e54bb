/** Every page whose data does not come. */
import { test } from 'node:test'
import type { Route } from 'playwright-core'
import { forConsole } from '../kit/harness.ts'
import { judgeInShort } from '../kit/looks.ts'
import { begin, goTo } from '../kit/router.ts'
import { asking, isOfFrame, pathOf, something } from './walk.ts'

forConsole('every page that waits', (open) => {
  test('has a heading and says that it loads', async () => {
    const console = await open({ role: 'viewer' })
    await something(console)
    const { page } = console
    const held: Route[] = []
    await page.route(/\/console\/api\//, (route) =>
      isOfFrame(route.request()) ? route.continue() : void held.push(route),
    )
    await console.visit('')
    for (const [, one] of asking) {
      // What says that the one before loads is gone.
      await goTo(page, '/')
      await begin(page, (await pathOf(console, one)).replace(/^P/, `/projects/${console.project}`))
      await page.locator('main [role=status][data-coming]').first().waitFor()
      await judgeInShort(page)
    }
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await Promise.all(held.map((route) => route.abort().catch(() => undefined)))
  })
})
