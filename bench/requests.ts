/** Load tests of single requests: reading and creating a firewall. */
import { publicBase } from '../src/kernel/contract/bases.ts'
import { call } from './client.ts'
import { filledFile, idOf, rules } from './fill.ts'
import type { Running, Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { compareLoads, type Effort } from './rounds.ts'

export const connections = 32

/** GET of one firewall through the whole stack, compared with a bare route. */
export async function get(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const small = await compareGet(workshop, effort, await serveFilled(workshop, 1_000), pathsOf(1_000))
  const large = await compareGet(workshop, effort, await serveFilled(workshop, 1_000_000), pathsOf(1_000_000))
  return [
    { name: 'GET firewall by id, of 1k', ...small, bar: barOf(small.ratio, 0.75) },
    { name: 'GET firewall by id, of 1M', ...large, bar: barOf(large.ratio, 0.7) },
  ]
}

const barOf = (ratio: number, least: number) => ({ text: `ratio >= ${least}`, met: ratio >= least })

async function serveFilled(workshop: Workshop, count: number): Promise<Running> {
  return workshop.serve(`sqlite:${await filledFile(count)}`)
}

/** The paths of a thousand firewalls spread over a filled file. */
export function pathsOf(count: number): string[] {
  return Array.from({ length: 1_000 }, (_, i) => `${publicBase}/firewalls/${idOf(Math.floor((i * count) / 1_000))}`)
}

/** GET of paths with equal answers, compared with a bare route. */
export async function compareGet(workshop: Workshop, effort: Effort, wolke: Running, paths: readonly string[]) {
  const path = paths[0]!
  const { text } = await call('GET', wolke.url + path)
  const bare = await workshop.bare([{ method: 'GET', path, status: 200, body: text }])
  const generate = workshop.generator()
  const job = { method: 'GET', connections } as const
  return compareRequests(effort, {
    wolke: (seconds) => generate({ ...job, url: wolke.url, paths, seconds }),
    bare: (seconds) => generate({ ...job, url: bare.url, paths: [path], seconds }),
  })
}

/** Requests per second of both servers, as a row without a name. */
export async function compareRequests(effort: Effort, run: Parameters<typeof compareLoads>[1]) {
  const { generatorCpu, ...compared } = await compareLoads(effort, run)
  return { unit: 'req/s', ...compared, note: `${connections} connections, generator ${percent(generatorCpu)}` } as const
}

const percent = (share: number) => `${Math.round(share * 100)}% cpu`

export const given = {
  labels: { env: 'prod', tier: 'web' },
  rules: rules.map(({ direction, protocol, port, sourceIps, description }) => ({
    direction,
    protocol,
    port,
    source_ips: sourceIps,
    description,
  })),
}

export const firewalls = { path: `${publicBase}/firewalls`, body: given }

/** POST of a firewall, answered once it is durable, compared with a bare route that parses the same body. */
export async function post(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('post.db')}`)
  const compared = await comparePost(workshop, effort, wolke, firewalls)
  const bar = { text: 'ratio >= 0.33', met: compared.ratio >= 0.33 }
  return [{ name: 'POST firewall, durable', ...compared, bar }]
}

/** Creates resources with unique names, compared with a bare route that parses the same body. */
export async function comparePost(
  workshop: Workshop,
  effort: Effort,
  wolke: Running,
  { path, body }: { readonly path: string; readonly body: object },
) {
  const { text } = await call('POST', wolke.url + path, { ...body, name: 'first' })
  const bare = await workshop.bare([
    { method: 'GET', path, status: 200, body: '{}' },
    { method: 'POST', path, status: 201, body: text },
  ])
  const generate = workshop.generator()
  const job = { method: 'POST', connections, body: JSON.stringify({ ...body, name: 'bench-{n}' }) } as const
  return compareRequests(effort, {
    wolke: (seconds) => generate({ ...job, url: wolke.url + path, paths: [path], seconds }),
    bare: (seconds) => generate({ ...job, url: bare.url + path, paths: [path], seconds }),
  })
}
