/** Load tests of single requests to Floating IPs, images and the metadata service. */
import { setTimeout as delay } from 'node:timers/promises'
import { metadataBase, publicBase } from '../src/kernel/contract/bases.ts'
import { call } from './client.ts'
import { freePort, type Running, token, type Workshop } from './processes.ts'
import type { Row } from './report.ts'
import { comparePost, compareRequests, connections } from './requests.ts'
import type { Effort } from './rounds.ts'

const snapshots = 20
/** Queries with the least share of a bare server's requests that each is to have. */
const listsOfImages = [
  ['', 0.4],
  ['?type=snapshot', 0.4],
  ['?name=debian-12&architecture=x86', 0.6],
] as const

/** POST of a Floating IP, which allocates an address and is answered once it is durable. */
export async function floatingIps(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const database = `sqlite:${workshop.file('floating-ips.db')}`
  const wolke = await workshop.serve(database, { more: ['--address-pool', '10.0.0.0/8'] })
  const body = { type: 'ipv4', home_location: 'hel1', labels: { env: 'prod' } }
  const compared = await comparePost(workshop, effort, wolke, { path: `${publicBase}/floating_ips`, body })
  return [{ name: 'POST floating_ips, durable', ...compared }]
}

/** Lists of images: system images only, and together with those of a Project. */
export async function images(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const wolke = await workshop.serve(`sqlite:${workshop.file('images.db')}`)
  const server = await makeServer(wolke)
  for (let i = 0; i < snapshots; i++) {
    const { body } = await call('POST', `${wolke.url}${publicBase}/servers/${server}/actions/create_image`, {})
    await ended(wolke, body.action.id)
  }
  const rows: Row[] = []
  for (const [query, least] of listsOfImages) {
    const compared = await compareGet(workshop, effort, wolke, `${publicBase}/images${query}`)
    const bar = { text: `ratio >= ${least}`, met: compared.ratio >= least }
    rows.push({ name: `GET images${query}`, ...compared, bar })
  }
  return rows
}

/** The requests that a booting server sends to the metadata service. */
export async function metadata(workshop: Workshop, effort: Effort): Promise<Row[]> {
  const port = await freePort()
  const more = ['--metadata-listen', `127.0.0.1:${port}`]
  const wolke = await workshop.serve(`sqlite:${workshop.file('metadata.db')}`, { more })
  const service = { ...wolke, url: `http://127.0.0.1:${port}` }
  const server = await makeServer(wolke)
  const rows: Row[] = []
  for (const path of [`${metadataBase}/metadata`, `${metadataBase}/metadata/hostname`, `${metadataBase}/userdata`]) {
    const compared = await compareGet(workshop, effort, service, `/servers/${server}${path}`)
    rows.push({ name: `metadata service, GET ${path}`, ...compared })
  }
  return rows
}

/** A bare route ignores the query string, so the same path works for both servers. */
async function compareGet(workshop: Workshop, effort: Effort, { url }: Running, path: string) {
  const body = await (await fetch(url + path, { headers: { authorization: `Bearer ${token}` } })).text()
  const bare = await workshop.bare([{ method: 'GET', path: path.split('?', 1)[0]!, status: 200, body }])
  const generate = workshop.generator()
  const job = { method: 'GET', connections } as const
  return compareRequests(effort, {
    wolke: (seconds) => generate({ ...job, url: url + path, seconds }),
    bare: (seconds) => generate({ ...job, url: bare.url + path, seconds }),
  })
}

async function makeServer(wolke: Running): Promise<number> {
  const asked = { name: 'bench', server_type: 'cpx22', image: 'debian-12', user_data: '#cloud-config\n{}\n' }
  const { body } = await call('POST', `${wolke.url}${publicBase}/servers`, asked)
  for (const { id } of [body.action, ...body.next_actions]) await ended(wolke, id)
  return body.server.id
}

async function ended({ url }: Running, action: number): Promise<void> {
  while ((await call('GET', `${url}${publicBase}/actions/${action}`)).body.action.status === 'running') await delay(2)
}
