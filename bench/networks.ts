/** Servers of one network: how fast a thousand join it, and what it takes to tell whether packets arrive there. */
import { copyFileSync } from 'node:fs'
import { publicBase, wolkeBase } from '../src/kernel/contract/bases.ts'
import { call, forAll, idsOf, timed, untilSettled } from './client.ts'
import { filledServers, pools } from './fill-servers.ts'
import type { Running, Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import { connections } from './requests.ts'
import type { Effort } from './rounds.ts'

const sizes = [
  { count: 1_000, name: '1k' },
  { count: 100_000, name: '100k' },
]
const mostGrowth = 1.5
const joining = 1_000
const burst = 100

interface Site {
  readonly name: string
  readonly wolke: Running
  readonly servers: readonly number[]
  readonly network: number
}

/** Two Projects of different sizes, each with a thousand servers in one network. */
export async function networks(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const sites: Site[] = []
  for (const { count, name } of sizes) {
    const path = workshop.file(`${name}-networks.db`)
    copyFileSync(await filledServers(workshop, count), path)
    const wolke = await workshop.serve(`sqlite:${path}`, { more: [...pools, '--limits', 'network_members=off'] })
    sites.push({ name, wolke, servers: await someServers(wolke), network: await makeNetwork(wolke) })
  }
  const rows = await joins(sites)
  const generate = workshop.generator()
  for (const [what, { paths, ...bars }] of Object.entries(questions)) {
    rows.push(
      ...(await compare(sites, effort, { what, ...bars }, (site, seconds) => {
        const job = { method: 'GET', connections, url: site.wolke.url, paths: paths(site), seconds } as const
        return generate(job)
      })),
    )
  }
  return rows
}

const ask = (from: string, to: string) => `${wolkeBase}/reachability?from=${from}&to=${to}&protocol=tcp&port=443`
const neighbour = ({ servers }: Site, index: number) => servers[(index + 1) % servers.length]

interface Question {
  readonly paths: (site: Site) => string[]
  /** The fewest answers a second and the longest p99 that it is to have beside the larger Project. */
  readonly least?: number
  readonly mostP99Ms?: number
}

const questions: Record<string, Question> = {
  'reachability within the network': {
    paths: (site) => site.servers.map((id, index) => ask(`server:${id}`, `server:${neighbour(site, index)}`)),
    least: 3_000,
    mostP99Ms: 40,
  },
  'reachability from outside': {
    paths: ({ servers }) => servers.map((id) => ask('8.8.8.8', `server:${id}`)),
  },
  'list 50 members of 1,000': {
    paths: ({ network }) => [`${publicBase}/networks/${network}/members?sort=ip&per_page=50`],
    least: 4_000,
    mostP99Ms: 30,
  },
}

async function someServers({ url }: Running): Promise<number[]> {
  const ids: number[] = []
  for (let page = 1; ids.length < joining; page++) {
    ids.push(...idsOf((await call('GET', `${url}${publicBase}/servers?per_page=50&page=${page}`)).body.servers))
  }
  return ids.slice(0, joining)
}

async function makeNetwork({ url }: Running): Promise<number> {
  const subnets = [{ type: 'cloud', network_zone: 'eu-central', ip_range: '172.16.16.0/20' }]
  return (await call('POST', `${url}${publicBase}/networks`, { name: 'bench', ip_range: '172.16.0.0/16', subnets }))
    .body.network.id
}

/** All join, a hundred at a time; the two Projects take turns, so that other load affects both alike. */
async function joins(sites: readonly Site[]): Promise<Row[]> {
  const times = sites.map((): number[] => [])
  for (let from = 0; from < joining; from += burst) {
    for (const [index, site] of sites.entries()) {
      times[index]!.push(await timed(() => join(site, site.servers.slice(from, from + burst))))
    }
  }
  return sites.map(({ name }, index) => {
    const own = times[index]!
    const beside = median(own.map((ms, at) => ms / times[0]![at]!))
    const filling = median(own.slice(-3)) / median(own.slice(0, 3))
    const growth = Math.max(beside, filling)
    return {
      name: `1,000 servers join one network, beside ${name}`,
      unit: 'servers/s',
      wolke: (burst / median(own)) * 1_000,
      bar: { text: `<= ${mostGrowth}x`, met: growth <= mostGrowth },
      note: `${beside.toFixed(2)}x of beside 1k; the last ones take ${filling.toFixed(2)}x of the first`,
    }
  })
}

async function join({ wolke: { url }, network }: Site, servers: readonly number[]): Promise<void> {
  const replies = await forAll(servers, (id) =>
    call('POST', `${url}${publicBase}/servers/${id}/actions/attach_to_network`, { network }),
  )
  await untilSettled(url, idsOf(replies.map(({ body }) => body.action)))
}

/** Requests per second beside both sizes, in turns; the larger one may take at most so many times as long. */
async function compare(
  sites: readonly Site[],
  { rounds, seconds }: Effort,
  { what, least = 0, mostP99Ms = Infinity }: Pick<Question, 'least' | 'mostP99Ms'> & { readonly what: string },
  load: (site: Site, seconds: number) => Promise<{ requestsPerSecond: number; p50Ms: number; p99Ms: number }>,
): Promise<Row[]> {
  const found = sites.map((site) => ({ site, loads: [] as Awaited<ReturnType<typeof load>>[] }))
  for (const { site } of found) await load(site, 1)
  for (let round = 0; round < rounds; round++) {
    for (const { site, loads } of round % 2 ? found.toReversed() : found) loads.push(await load(site, seconds))
  }
  const smallest = found[0]!.loads
  return found.map(({ site, loads }) => {
    const growth = median(loads.map((one, round) => smallest[round]!.requestsPerSecond / one.requestsPerSecond))
    const perSecond = median(loads.map((one) => one.requestsPerSecond))
    const p99Ms = median(loads.map((one) => one.p99Ms))
    const bar = {
      text: `<= ${mostGrowth}x of 1k${least > 0 ? `, >= ${least} req/s, p99 < ${mostP99Ms} ms` : ''}`,
      met: growth <= mostGrowth && perSecond >= least && p99Ms < mostP99Ms,
    }
    return {
      name: `${what}, beside ${site.name}`,
      unit: 'req/s',
      wolke: perSecond,
      p50Ms: median(loads.map((one) => one.p50Ms)),
      p99Ms,
      ...(site === sites.at(-1) ? { bar } : {}),
      note: `${growth.toFixed(2)}x of 1k, ${connections} connections`,
    }
  })
}
