/** Measures the first page of lists with a label selector, at three sizes of the same family. */
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call } from './client.ts'
import { filledFile } from './fill.ts'
import type { Running, Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import type { Effort } from './rounds.ts'

const sizes = [
  { count: 1_000, name: '1k' },
  { count: 100_000, name: '100k' },
  { count: 1_000_000, name: '1M' },
]

/** Selectors of different cost: labels of a third and of a hundred resources, combinations and negations. */
const selectors = [
  'env=prod,tier!=web',
  'env=prod',
  'app=app-7',
  'env=prod,app=app-7',
  'env in (prod,dev),tier',
  'tier!=web',
]
/** How many times as long as a bare server a list may take, by the number of terms: 0.2 and 0.35 ms where that takes 0.08. */
const mostOfBare = [2.5, 4.4]

interface Site {
  readonly name: string
  readonly wolke: Running
  readonly bare: Running
}

export async function lists(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const paths = selectors.map((selector) => `${publicBase}/firewalls?label_selector=${encodeURIComponent(selector)}`)
  const files: { name: string; path: string }[] = []
  for (const { count, name } of sizes) files.push({ name, path: await filledFile(count) })
  const sites = await listSites(workshop, files, paths)
  const generate = workshop.generator()
  const rows: Row[] = []
  for (const [index, path] of paths.entries()) {
    const what = selectors[index]!
    const terms = what.replace(/\(.*?\)/, '').split(',').length
    const bars = { what, most: 2, mostOfBare: mostOfBare[terms - 1]! }
    rows.push(...(await compareSizes(sites, bars, effort, timeAlone(generate, path))))
  }
  return rows
}

/** Starts a server on each of the files, and a bare one that returns the same answer for all paths. */
export async function listSites(
  workshop: Workshop,
  files: readonly { readonly name: string; readonly path: string }[],
  paths: readonly string[],
  more: readonly string[] = [],
): Promise<Site[]> {
  const sites: Site[] = []
  for (const { name, path } of files) {
    const wolke = await workshop.serve(`sqlite:${path}`, { watch: true, more })
    sites.push({ name, wolke, bare: await bareLike(workshop, wolke, paths) })
  }
  return sites
}

/** A bare route ignores the query string, so each selector gets a path of its own there. */
async function bareLike(workshop: Workshop, wolke: Running, paths: readonly string[]): Promise<Running> {
  const replies = await Promise.all(paths.map((path) => call('GET', wolke.url + path)))
  return workshop.bare(
    replies.map(({ text }, index) => ({ method: 'GET', path: barePath(paths[index]!), status: 200, body: text })),
  )
}

const barePath = (path: string) => path.replace('?', '/').replaceAll('%', '')

interface Times {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Measures the latency of sequential requests. */
export function timeAlone(generate: ReturnType<Workshop['generator']>, path: string) {
  return async ({ url }: Running, seconds: number, bare = false): Promise<Times> =>
    generate({ url: url + (bare ? barePath(path) : path), method: 'GET', connections: 1, seconds })
}

/**
 * Returns a row for each size; the largest may take at most `most` times as long as the smallest, and `mostOfBare` times as
 * long as a bare server.
 */
export async function compareSizes(
  sites: readonly Site[],
  { what, most, mostOfBare = Infinity }: { readonly what: string; readonly most: number; readonly mostOfBare?: number },
  { rounds, seconds }: Effort,
  time: (server: Running, seconds: number, bare?: boolean) => Promise<Times>,
): Promise<Row[]> {
  const found = sites.map((site) => ({ ...site, own: [] as Times[], bareMs: [] as number[], stalls: [] as number[] }))
  for (const { wolke, bare } of sites) {
    await time(wolke, 1)
    await time(bare, 1, true)
  }
  for (let round = 0; round < rounds; round++) {
    for (const site of found) {
      const measured = async () => void site.own.push(await time(site.wolke, seconds / 3))
      site.stalls.push(await site.wolke.stallDuring(measured))
      site.bareMs.push((await time(site.bare, seconds / 3, true)).p50Ms)
    }
  }
  const smallest = found[0]!.own.map(({ p50Ms }) => p50Ms)
  return found.map(({ name, own, bareMs, stalls }) => {
    const growth = median(own.map(({ p50Ms }, round) => p50Ms / smallest[round]!))
    const p50Ms = median(own.map((times) => times.p50Ms))
    const ratio = median(own.map((times, round) => times.p50Ms / bareMs[round]!))
    const text = `<= ${most}x of 1k${mostOfBare < Infinity ? `, ${mostOfBare}x of bare` : ''}`
    const bar = { text, met: growth <= most && ratio <= mostOfBare }
    return {
      name: `list 25 of ${name}, ${what}`,
      unit: 'ms',
      wolke: p50Ms,
      bare: median(bareMs),
      ratio,
      p50Ms,
      p99Ms: median(own.map((times) => times.p99Ms)),
      ...(name === sites.at(-1)!.name ? { bar } : {}),
      note: `${growth.toFixed(2)}x of 1k, longest stall ${median(stalls).toFixed(1)} ms`,
    }
  })
}
