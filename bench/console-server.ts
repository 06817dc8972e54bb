/** The console costs the server something; this measures it, and how soon it tells what happens there. */
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call, forAll, untilSettled } from './client.ts'
import type { Noted } from './console-noted.ts'
import { atMost, rowsOf, serversOf, visitor } from './console-pages.ts'
import { openSite, type Site } from './console-site.ts'
import type { Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import type { Effort } from './rounds.ts'

declare const noted: Noted
declare const document: { dispatchEvent(event: Event): void }

const tabs = 20
const listeners = 100
/** The most memory that a server may take in addition once its console was opened. */
const mostMb = 5
/** Streams that one session may have. */
const perSession = 5

/** Measures from the reply to a change until the last of many tabs shows that it is under way. */
export async function progress(browser: Browser, site: Site, { rounds }: Effort): Promise<Row[]> {
  const context = await visitor(browser, site)
  const pages: Page[] = []
  for (let tab = 0; tab < tabs; tab++) {
    const page = await context.newPage()
    await rowsOf(page, serversOf(site))
    pages.push(page)
  }
  const shown = pages.pop()!
  // The browser of a benchmark has no window, so it takes all tabs for seen.
  for (const page of pages) await page.evaluate(hide)
  await shown.bringToFront()
  await shown.waitForLoadState('networkidle')
  const id = Number(await shown.locator('tr[data-row]').first().getAttribute('data-row'))
  const took: number[] = []
  for (let round = 0; round < 2 * rounds; round++) {
    const seen = Promise.race([shown.evaluate((row) => noted.changed(row), id), never(shown)])
    const { body } = await call('POST', `${site.server.url}${publicBase}/servers/${id}/actions/reboot`)
    const committedAt = performance.timeOrigin + performance.now()
    took.push(Math.max(0, (await seen) - committedAt))
    await untilSettled(site.server.url, [body.action.id])
    await shown.waitForTimeout(2_500)
  }
  await context.close()
  return [atMost(`progress on screen after the commit, ${tabs} tabs`, took, 250)]
}

function hide(): void {
  Object.defineProperty(document, 'hidden', { value: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

async function never(page: Page): Promise<never> {
  await page.waitForTimeout(20_000)
  throw new Error('no tab showed within 20 s that the server restarts')
}

/** Measures the cost of clients that listen while nothing happens, beyond what the server takes without them. */
export async function idleStreams(site: Site, { seconds }: Effort): Promise<Row[]> {
  const idleMs = 10_000 * seconds
  const alone = await shareOf(site, idleMs)
  const open: { destroy(): void }[] = []
  for (let made = 0; made < listeners; made += perSession) {
    const { name, value } = await site.signIn()
    for (let one = 0; one < perSession; one++) open.push(await listen(site, `${name}=${value}`))
  }
  const listenedTo = await shareOf(site, idleMs)
  for (const one of open) one.destroy()
  return [atMost(`${listeners} clients that listen while nothing happens`, [Math.max(0, listenedTo - alone)], 1, '%')]
}

/** Returns the share of a core that the server takes, in percent. */
async function shareOf({ server }: Site, waitedMs: number): Promise<number> {
  const before = cpuMs(server.pid)
  await delay(waitedMs)
  return (100 * (cpuMs(server.pid) - before)) / waitedMs
}

function listen({ origin, project }: Site, cookie: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{ destroy(): void }>()
  const url = `${origin}/console/api/projects/${project}/events`
  const asked = get(url, { agent: false, headers: { cookie } }, (response) => {
    if (response.statusCode !== 200) return reject(new Error(`listening was answered with ${response.statusCode}`))
    response.on('error', () => undefined).resume()
    resolve(response)
  })
  asked.once('error', reject)
  return promise
}

/** Processor time of a process so far, in milliseconds; Linux only. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const calls = 1_000
const restMs = 3_000
/** The pages that are looked at: the first one, and pages with other parts. */
const looks = ['servers', 'firewalls', 'zones', 'activity', 'security/tokens']

/** Memory of an idle server whose console was looked at, beyond that of one that did the same without. */
export async function residentCost(browser: Browser, workshop: Workshop, { rounds }: Effort): Promise<Row[]> {
  const pairs: { readonly opened: number; readonly alone: number }[] = []
  // Two servers that did the same differ by several megabytes.
  for (let round = 0; round < 2 * rounds; round++) {
    const open = () => openSite(workshop, workshop.file('idle.db'))
    const sites = [await open(), await open()] as const
    const [opened, alone] = sites
    // The memory of the first thousand calls is taken up in both, however few of them come from the console.
    for (const { server } of sites)
      await forAll(Array.from({ length: calls }), () => call('GET', `${server.url}${publicBase}/servers`))
    await lookAt(browser, opened)
    await delay(restMs)
    pairs.push({ opened: opened.server.residentMb(), alone: alone.server.residentMb() })
    for (const { server } of sites) await server.stop()
  }
  const more = median(pairs.map(({ opened, alone }) => opened - alone))
  return [
    {
      name: 'console: resident memory of a server whose console was opened',
      unit: 'MB',
      wolke: median(pairs.map(({ opened }) => opened)),
      bare: median(pairs.map(({ alone }) => alone)),
      ratio: median(pairs.map(({ opened, alone }) => opened / alone)),
      bar: { text: `<= ${mostMb} MB more`, met: more <= mostMb },
      note: `${more.toFixed(1)} MB more; bare: one whose console nobody opened`,
    },
  ]
}

async function lookAt(browser: Browser, site: Site): Promise<void> {
  const context = await visitor(browser, site)
  const page = await context.newPage()
  for (const path of looks) {
    await page.goto(`${site.origin}/console/projects/${site.project}/${path}`, { waitUntil: 'load' })
    await page.getByRole('heading', { level: 1 }).waitFor()
  }
  await context.close()
}
