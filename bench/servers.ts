/** Servers: lists with a selector, and the time from requests to running servers, in Projects of two sizes. */
import { copyFileSync } from 'node:fs'
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call, forAll, idsOf, timed, untilSettled } from './client.ts'
import { filledServers, pools } from './fill-servers.ts'
import { compareSizes, listSites, timeAlone } from './lists.ts'
import { cpuUs, type Running, type Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import type { Effort } from './rounds.ts'

const sizes = [
  { count: 1_000, name: '1k' },
  { count: 100_000, name: '100k' },
]
const mostGrowth = 1.5
/** A list may take 0.45 ms where a bare server takes 0.15 for the same 60 kB. */
const mostOfBare = 3
const selectors = ['env=prod,tier!=web', 'app=app-7', 'env in (prod,dev),tier']
const burst = 256
/** Beside a thousand servers. */
const leastServers = 900

/** Lists of servers, and creations until the servers run. */
export async function servers(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const paths = selectors.map((selector) => `${publicBase}/servers?label_selector=${encodeURIComponent(selector)}`)
  const files: { name: string; path: string }[] = []
  for (const { count, name } of sizes) {
    const path = workshop.file(`${name}-servers.db`)
    copyFileSync(await filledServers(workshop, count), path)
    files.push({ name, path })
  }
  const sites = await listSites(workshop, files, paths, pools)
  const generate = workshop.generator()
  const rows: Row[] = []
  for (const [index, path] of paths.entries()) {
    const what = { what: `servers ${selectors[index]!}`, most: mostGrowth, mostOfBare }
    rows.push(...(await compareSizes(sites, what, effort, timeAlone(generate, path))))
  }
  return [...rows, ...(await creations(sites, effort))]
}

async function creations(
  sites: readonly { readonly name: string; readonly wolke: Running }[],
  { rounds }: Effort,
): Promise<Row[]> {
  const found = sites.map(({ name, wolke }) => ({ name, wolke, perSecond: [] as number[], cpu: [] as number[] }))
  for (const { wolke } of found) await createServers(wolke, 'warm')
  for (let round = 0; round < rounds * 2; round++) {
    // Other load on the machine affects both sizes alike, in whichever order they come.
    for (const { wolke, perSecond, cpu } of round % 2 ? found.toReversed() : found) {
      const before = cpuUs([wolke.pid])
      perSecond.push((burst / (await timed(() => createServers(wolke, `round-${round}`)))) * 1_000)
      cpu.push((cpuUs([wolke.pid]) - before) / burst)
    }
  }
  const smallest = found[0]!.perSecond
  return found.map(({ name, perSecond, cpu }) => {
    const growth = median(perSecond.map((value, round) => smallest[round]! / value))
    const wolke = median(perSecond)
    const isFirst = perSecond === smallest
    return {
      name: `create servers until they run, beside ${name}`,
      unit: 'servers/s',
      wolke,
      bar: isFirst
        ? { text: `>= ${leastServers} a second`, met: wolke >= leastServers }
        : { text: `<= ${mostGrowth}x of 1k`, met: growth <= mostGrowth },
      note: `${burst} servers, 32 at a time; ${median(cpu).toFixed(0)} us of processor time each; takes ${growth.toFixed(2)}x of beside 1k`,
    }
  })
}

async function createServers({ url }: Running, name: string): Promise<void> {
  const names = Array.from({ length: burst }, (_, i) => `${name}-${i}`)
  const asked = { server_type: 'cx23', image: 'debian-13' }
  const replies = await forAll(names, (one) => call('POST', `${url}${publicBase}/servers`, { ...asked, name: one }))
  await untilSettled(
    url,
    replies.flatMap(({ body }) => idsOf([body.action, ...body.next_actions])),
  )
}
