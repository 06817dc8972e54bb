/** Measures what testers wait for: forks, resets and snapshots, of a cloud of 1,000 resources. */
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { publicBase, wolkeBase } from '../src/kernel/contract/bases.ts'
import { type Ask, asker, timed } from './lab-client.ts'
import { type Running, token, type Workshop } from './processes.ts'
import { median, type Row } from './report.ts'
import { compareLoads, type Effort } from './rounds.ts'

const resources = { firewalls: 650, servers: 300, placement_groups: 50 }
const forks = 100
const settleMs = 1_000

export async function lab(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const { server, api, own } = await filled(workshop)
  return [
    ...(await forkRows(server, own)),
    ...(await stateRows(api, own, 2 * effort.rounds + 1)),
    ...(await offRows(workshop, effort)),
  ]
}

/** A lab in memory with a full Project, and who asks its two APIs. */
async function filled(workshop: Workshop) {
  const ready = workshop.file('ready.json')
  const server = await workshop.serve('memory', { more: ['--clock', 'frozen', '--ready-file', ready] })
  // The file is written once everything is up.
  while (!isWritten(ready)) await delay(5)
  const { lab_token } = JSON.parse(readFileSync(ready, 'utf8')) as { lab_token: string }
  const api = asker(server.url + publicBase, token)
  const own = asker(server.url + wolkeBase, lab_token)
  const bodies: Record<keyof typeof resources, (n: number) => object> = {
    firewalls: (n) => ({ name: `f${n}` }),
    servers: (n) => ({ name: `s${n}`, server_type: 'cx23', image: 'debian-12' }),
    placement_groups: (n) => ({ name: `p${n}`, type: 'spread' }),
  }
  for (const [path, count] of Object.entries(resources)) {
    for (let n = 0; n < count; n++) await api('POST', `/${path}`, bodies[path as keyof typeof resources](n))
  }
  await settled(api)
  return { server, api, own }
}

function isWritten(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').endsWith('\n')
  } catch {
    return false
  }
}

async function settled(api: Ask): Promise<void> {
  const running = async () =>
    ((await api('GET', '/servers/actions?status=running&per_page=1')) as { actions: unknown[] }).actions
  while ((await running()).length > 0) await delay(20)
}

async function forkRows(server: Running, own: Ask): Promise<Row[]> {
  // The first one loads what all need.
  await own('POST', '/forks', {})
  await delay(settleMs)
  const before = server.residentMb()
  const times: number[] = []
  for (let n = 0; n < forks; n++) times.push(await timed(() => own('POST', '/forks', {})))
  await delay(settleMs)
  const more = server.residentMb() - before
  const middle = median(times)
  const { forks: all } = (await own('GET', '/forks')) as { forks: { id: number }[] }
  const end = await timed(async () => {
    for (const { id } of all) await own('DELETE', `/forks/${id}`)
  })
  return [
    { name: 'fork of 1,000 resources, p50', unit: 'ms', wolke: middle, bar: { text: '<= 50 ms', met: middle <= 50 } },
    { name: `${forks} forks together`, unit: 'MB', wolke: more, bar: { text: '<= 400 MB', met: more <= 400 } },
    { name: 'end of a fork', unit: 'ms', wolke: end / all.length },
  ]
}

async function stateRows(api: Ask, own: Ask, rounds: number): Promise<Row[]> {
  const { projects } = (await own('GET', '/projects')) as { projects: { id: number }[] }
  const reset = `/projects/${projects[0]!.id}/reset`
  const saves: number[] = []
  const [project, all, restore]: number[][] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    saves.push(await timed(() => own('PUT', '/snapshots/full')))
    project!.push(await timed(() => own('POST', reset)))
    restore!.push(await timed(() => own('POST', '/snapshots/full/restore')))
    all!.push(await timed(() => own('POST', '/reset')))
    await own('POST', '/snapshots/full/restore')
  }
  await api('GET', '/servers')
  const bar = (value: number) => ({ text: '<= 20 ms', met: value <= 20 })
  const [ofProject, ofAll] = [median(project!), median(all!)]
  return [
    { name: 'reset of a Project with 1,000 resources, p50', unit: 'ms', wolke: ofProject, bar: bar(ofProject) },
    { name: 'reset of everything, p50', unit: 'ms', wolke: ofAll, bar: bar(ofAll) },
    { name: 'snapshot, p50', unit: 'ms', wolke: median(saves) },
    { name: 'restore, p50', unit: 'ms', wolke: median(restore!) },
  ]
}

/** The same server with a lab and without one. */
async function offRows(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const [on, off] = [
    await workshop.serve(`sqlite:${workshop.file('on.db')}`, { more: ['--lab'] }),
    await workshop.serve(`sqlite:${workshop.file('off.db')}`),
  ]
  const generate = workshop.generator()
  const load =
    ({ url }: Running) =>
    (seconds: number) =>
      generate({ method: 'GET', url: `${url}${publicBase}/firewalls`, connections: 32, seconds })
  const { wolke, bare, ratio } = await compareLoads(effort, { wolke: load(on), bare: load(off) })
  return [{ name: 'GET with a lab, against none', unit: 'req/s', wolke, bare, ratio }]
}
