/**
 * The console in Chromium, against a server with 10,000 servers in its Project: how soon pages are there, how fast they
 * answer, and what they cost the server.
 */
import { copyFileSync } from 'node:fs'
import { launchBrowser, noBrowser } from '../test/console/kit/launch.ts'
import { loads, longList, navigations, slowLoad } from './console-pages.ts'
import { idleStreams, progress, residentCost } from './console-server.ts'
import { openSite } from './console-site.ts'
import { sizes } from './console-sizes.ts'
import { filledServers } from './fill-servers.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'
import type { Effort } from './rounds.ts'

const count = 10_000

export async function consolePages(workshop: Workshop, effort: Effort): Promise<Row[]> {
  if (noBrowser !== undefined) throw new Error(noBrowser)
  const path = workshop.file('servers.db')
  copyFileSync(await filledServers(workshop, count), path)
  const site = await openSite(workshop, path)
  const browser = await launchBrowser()
  workshop.keep(() => browser.close())
  const rows: Row[] = await sizes()
  for (const step of [loads, slowLoad, navigations, longList, progress]) {
    console.error(`  ${step.name} ...`)
    rows.push(...(await step(browser, site, effort)))
  }
  return [...rows, ...(await idleStreams(site, effort)), ...(await residentCost(browser, workshop, effort))]
}
