/** Pages of the console are measured: how soon they are there, and how fast they answer. */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Noted } from './console-noted.ts'
import type { Site } from './console-site.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'

declare const noted: Noted

/** The value below which `share` of the values are. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

function measured(name: string, values: readonly number[], unit: Row['unit'] = 'ms'): Row {
  const [p50Ms, p99Ms] = [quantile(values, 0.5), quantile(values, 0.99)]
  const note = `${values.length} ${values.length === 1 ? 'sample' : 'samples, p95'}`
  const times = unit === 'ms' ? { p50Ms, p99Ms } : {}
  return { name: `console: ${name}`, unit, wolke: quantile(values, 0.95), ...times, note }
}

export function atMost(name: string, values: readonly number[], most: number, unit: Row['unit'] = 'ms'): Row {
  const row = measured(name, values, unit)
  return { ...row, bar: { text: `<= ${most} ${unit}`.trim(), met: row.wolke <= most } }
}

/** A browser of its own, signed in. */
export async function visitor(browser: Browser, site: Site): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.setDefaultTimeout(60_000)
  const url = site.origin.replace('http:', 'https:')
  await context.addCookies([{ ...(await site.signIn()), url, httpOnly: true, secure: true, sameSite: 'Lax' }])
  await context.addInitScript({ path: join(import.meta.dirname, 'console-probe.js') })
  return context
}

export const serversOf = ({ origin, project }: Site, search = '') =>
  `${origin}/console/projects/${project}/servers${search}`

/** Opens a page and waits until its first row is painted. Returns when that was, in milliseconds after the start. */
export const rowsOf = (page: Page, url: string) => saidBy(page, url, 'rowsAt')

/** Opens a page and waits until it says when something was. */
async function saidBy(page: Page, url: string, what: 'rowsAt' | 'everythingAt'): Promise<number> {
  const said = page.waitForEvent('console', (message) => message.text().startsWith(what))
  await page.goto(url, { waitUntil: 'commit' })
  return Number((await said).text().split(' ')[1])
}

/** A tab that has shown a page of the server, but none of the console: what starts a browser's process is not measured. */
async function tab(context: BrowserContext, { origin }: Site): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${origin}/health`, { waitUntil: 'networkidle' })
  return page
}

/** The list of servers in browsers that have never seen it, and again. */
export async function loads(browser: Browser, site: Site, { rounds }: Effort): Promise<Row[]> {
  const found = {
    cold: [] as number[],
    warm: [] as number[],
    fcp: [] as number[],
    lcp: [] as number[],
    cls: [] as number[],
  }
  for (let round = -1; round < 3 * rounds; round++) {
    const context = await visitor(browser, site)
    const page = await tab(context, site)
    const cold = await rowsOf(page, serversOf(site))
    await page.waitForLoadState('networkidle')
    const { fcp, lcp, cls } = await page.evaluate(() => noted)
    const warm = await rowsOf(page, serversOf(site))
    await context.close()
    // The first one is the first request that the server ever gets for the console.
    if (round < 0) continue
    found.cold.push(cold)
    found.warm.push(warm)
    found.fcp.push(fcp)
    found.lcp.push(lcp)
    found.cls.push(cls)
  }
  return [
    atMost('servers, cold, until rows are visible', found.cold, 500),
    atMost('servers, warm, until rows are visible', found.warm, 200),
    atMost('servers, cold, first contentful paint', found.fcp, 150),
    atMost('servers, cold, largest contentful paint', found.lcp, 800),
    atMost('servers, cold, layout shift', found.cls, 0.02, ''),
  ]
}

/** The same on a processor that is four times slower. */
export async function slowLoad(browser: Browser, site: Site, { rounds }: Effort): Promise<Row[]> {
  const blocked: number[] = []
  for (let round = 0; round < rounds; round++) {
    const context = await visitor(browser, site)
    const page = await tab(context, site)
    const devtools = await context.newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 })
    await rowsOf(page, serversOf(site))
    await page.waitForLoadState('networkidle')
    blocked.push(await page.evaluate(() => noted.blockedMs))
    await context.close()
  }
  return [atMost('servers, blocking time, processor 4x slower', blocked, 100)]
}

/** Other lists from the list of servers, by their links: as they are, and after the pointer has rested on them. */
export async function navigations(browser: Browser, site: Site, { rounds }: Effort): Promise<Row[]> {
  const [plain, preloaded]: [number[], number[]] = [[], []]
  const context = await visitor(browser, site)
  for (let round = 0; round < 2 * rounds; round++) {
    for (const path of ['volumes', 'firewalls', 'networks']) {
      const page = await context.newPage()
      await rowsOf(page, serversOf(site))
      await page.waitForLoadState('networkidle')
      const link = page.locator(`nav a[href$="/${path}"]`).first()
      if (round % 2) {
        await link.hover()
        await page.waitForLoadState('networkidle')
        // The pointer has to rest before anything is asked for.
        await page.waitForTimeout(200)
      }
      const took = await link.evaluate((element) => noted.followed(element))
      ;(round % 2 ? preloaded : plain).push(took)
      await page.close()
    }
  }
  await context.close()
  return [atMost('to another page, preloaded', preloaded, 50), atMost('to another page', plain, 150)]
}

/** All servers on one page. */
export async function longList(browser: Browser, site: Site, { rounds }: Effort): Promise<Row[]> {
  const context = await visitor(browser, site)
  const page = await context.newPage()
  const [visible, here]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds + 1; round++) {
    const shownAt = await saidBy(page, serversOf(site, '?page=0'), 'everythingAt')
    // A list can be taken along once all of it is here.
    await page.locator('button[aria-label="Export as CSV"][aria-disabled="false"]').waitFor()
    // The first time also loads files.
    if (round === 0) continue
    visible.push(shownAt)
    here.push(await page.evaluate(() => performance.now()))
  }
  await page.waitForLoadState('networkidle')
  // A wheel turned fast, and the scroll bar drawn from above to below: no row stays from one frame to the next.
  const turned = await page.evaluate(() => noted.scrolled(200))
  const drawn = await page.evaluate(() => noted.scrolled())
  const rows = await page.locator('tr[data-row]').count()
  await page.keyboard.press('Home')
  const filter: number[] = []
  const box = page.getByRole('searchbox').first()
  await box.focus()
  for (const key of ['b', 'e', 'n', 'c', 'h', '-', '9', '9', 'Backspace', 'Backspace']) {
    await page.evaluate(() => noted.watchInput())
    await page.keyboard.press(key)
    filter.push(await page.evaluate(() => noted.settled()))
  }
  await page.getByRole('columnheader').getByRole('button').first().press('Enter')
  await page.waitForTimeout(300)
  const interactions = await page.evaluate(() => noted.interactions)
  const devtools = await context.newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await context.close()
  return [
    atMost('all 10,000 servers, until visible', visible, 700),
    measured('all 10,000 servers, until they can be searched', here),
    atMost('all 10,000 servers, filter', filter, 100),
    atMost('all 10,000 servers, interaction to next paint', interactions, 100),
    atMost('all 10,000 servers, frames of a scroll by 200 pixels each', turned, 34),
    measured('all 10,000 servers, frames while the scroll bar is drawn', drawn),
    atMost('all 10,000 servers, rows in the page', [rows], 100, 'rows'),
    atMost('all 10,000 servers, heap', [usedSize / 1e6], 80, 'MB'),
  ]
}
