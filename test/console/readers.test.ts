/**
 * What screen readers find on the pages that matter most: headings, landmarks, and everything that can be used, in
 * their order. `WOLKE_WRITE_READERS=1` writes the expectation anew; read the difference before it is committed.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Console, forConsole } from './kit/harness.ts'
import { settle } from './kit/router.ts'
import { rulesOfFirst, someBalancers } from './states/firewalls.ts'
import { pageOf, someZones } from './states/resources.ts'
import { pathOf } from './states/servers.ts'

const file = new URL('../fixtures/console-readers.txt', import.meta.url)

const pages: readonly (string | ((console: Console) => Promise<string>))[] = [
  'P/servers',
  'P/servers/new',
  (console) => pathOf(console, 'web-1'),
  rulesOfFirst,
  async ({ api }) => `P/load-balancers/${(await api.get('/load_balancers')).body.load_balancers[0].id}/services`,
  'P/zones/nordlicht.de',
  pageOf('certificates', 'www'),
  'P/networks/new',
  'P/security/tokens',
  'P/settings',
]

const told = /^ *- (banner|button|checkbox|columnheader|combobox|complementary|heading|img|link|main|menu)/
const toldToo = /^ *- (navigation|radio|region|searchbox|spinbutton|status|switch|tab|table|textbox|alert)/

/** The parts that can be heard and used, without numbers, which differ from run to run, and repetitions. */
function outlineOf(snapshot: string): string {
  return snapshot
    .split('\n')
    .filter((line) => told.test(line) || toldToo.test(line))
    .map((line) => line.replace(/:( .*)?$/, '').replaceAll(/(?<!level=)\d[\d.,:]*/g, '#'))
    .filter((line, index, all) => line !== all[index - 1])
    .join('\n')
}

forConsole('for screen readers', (open) => {
  test('the pages that matter most say what they are and what can be done', async () => {
    const console = await open()
    await someBalancers(console)
    await someZones(console)
    const found: string[] = []
    for (const [index, page] of pages.entries()) {
      const path = typeof page === 'string' ? page : await page(console)
      await console.visit(path)
      // The parts of a page are files of their own, and what they ask for comes after them.
      await console.page.waitForLoadState('networkidle')
      await console.page.getByRole('main').getByRole('button').first().waitFor()
      await settle(console.page)
      // The frame is the same for all.
      const part = console.page.locator(index === 0 ? 'body' : 'main')
      found.push(`${path.replaceAll(/\d+/g, '#')}\n${outlineOf(await part.ariaSnapshot())}\n`)
    }
    if (process.env.WOLKE_WRITE_READERS) writeFileSync(file, found.join('\n'))
    assert.equal(found.join('\n'), readFileSync(file, 'utf8'))
  })
})
