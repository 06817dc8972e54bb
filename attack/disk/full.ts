/** Fills the disk: writes are refused, reads work, nothing is lost, and writes resume when there is room again. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Running } from '../../bench/processes.ts'
import { serverBody } from '../../src/families/servers/proof.ts'
import { publicKey } from '../../src/families/ssh-keys/proof.ts'
import type { Client } from '../../test/kit/harness.ts'
import { expect } from '../../test/kit/resources.ts'
import { fill } from '../../test/kit/samples/disks.ts'
import { atLeast, atMost, type Context, type Finding, none } from '../attack.ts'
import { client, until } from '../installation.ts'

/**
 * A command prefix that runs a process with `directory` copied onto a private disk of 24 MB, which ends with the
 * process.
 */
function onSmallDisk(directory: string): string[] {
  const script = 'cp -a "$0" "$0.copy" && mount -t tmpfs -o size=24m attack "$0" && cp -a "$0.copy/." "$0" && exec "$@"'
  const isolate = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-rm']
  return [...isolate, 'sh', '-c', script, directory]
}

/** Tells whether a health page reports that everything works. */
async function isWell(server: Running, page: string): Promise<boolean> {
  const response = await fetch(server.url + page)
  await response.text()
  return response.status === 200
}

interface Kept {
  readonly acknowledged: string[]
  readonly refused: string[]
  readonly wrong: string[]
}

/** Writes a resource with the given name and records it when acknowledged. Returns whether it was. */
async function write(api: Client, name: string, kept: Kept): Promise<boolean> {
  const { status, text } = await api.post('/ssh_keys', { name, public_key: publicKey(), labels: { l: 'x'.repeat(63) } })
  if (status === 201) kept.acknowledged.push(name)
  else kept.refused.push(name)
  if (status !== 201 && status !== 503) kept.wrong.push(`a write: ${status} ${text}`)
  return status === 201
}

export async function fullDisk(context: Context): Promise<Finding[]> {
  const { workshop } = context
  const directory = workshop.file('disk')
  mkdirSync(directory)
  const path = join(directory, 'wolke.db')
  const installation = await context.install({ file: path })
  const server = await installation.serve({ under: onSmallDisk(directory) })
  const inside = `/proc/${server.pid}/root`
  const filler = join(inside, directory, 'filler')
  const api = client(server, installation.tenants[0])
  const kept: Kept = { acknowledged: [], refused: [], wrong: [] }
  const { id } = expect(await api.post('/servers', serverBody('server')), 201).body.server
  for (let i = 0; i < 20; i++) await write(api, `before-${i}`, kept)

  fill(filler)
  const count = context.size(50, 1_000)
  // The rest of the last log page may still take a few writes.
  for (let i = 0; i < count; i++) await write(api, `full-${i}`, kept)
  const refused = kept.refused.length
  const power = await api.post(`/servers/${id}/actions/poweroff`)
  if (power.status !== 503) kept.wrong.push(`an action: ${power.status}`)
  const unread = (await reads(api)).filter((status) => status !== 200).map((status) => `a read: ${status}`)
  const says = async (page: string, well: boolean) => isSoon(async () => (await isWell(server, page)) === well)
  const silent = (await says('/health', false)) ? [] : ['/health is 200 although nothing can be written']
  if (!(await says('/health/reads', true))) silent.push('/health/reads does not say that reads go on')

  rmSync(filler)
  const start = performance.now()
  let recovered = 0
  await isSoon(async () => write(api, `after-${++recovered}`, kept))
  const seconds = (performance.now() - start) / 1_000
  if (!(await says('/health', true))) silent.push('/health does not recover')
  const there = new Set(await names(api))
  const lost = kept.acknowledged.filter((name) => !there.has(name))
  const stray = kept.refused.filter((name) => there.has(name))
  const file = new DatabaseSync(join(inside, path), { readOnly: true })
  const { integrity_check: verdict } = file.prepare('pragma integrity_check').get() as { integrity_check: string }
  file.close()
  const alive = server.isAlive() ? [] : ['the process ended']
  await server.stop()
  return [
    atLeast('a full disk refuses writes', refused, 'refused writes', Math.floor(count / 10)),
    none('each write on a full disk is done or gets a 503', 'wrong answers', [...kept.wrong, ...alive], context),
    none('a full disk does not stop reads', 'failed reads', unread, context),
    none('/health tells of a full disk, and that it has room again', 'untold', silent, context),
    none(
      'what was acknowledged before, during and after is there, what got a 503 is not',
      'differences',
      [...lost, ...stray],
      context,
    ),
    none('the file is whole after the disk was full', 'damages', verdict === 'ok' ? [] : [verdict], context),
    atMost('writes go on once there is room', seconds, 's', 10),
  ]
}

async function reads(api: Client): Promise<number[]> {
  const paths = [
    '/ssh_keys',
    '/servers',
    '/firewalls',
    '/zones',
    '/actions?id=1',
    '/server_types',
    '/ssh_keys?name=before-1',
  ]
  return Promise.all(paths.map(async (path) => (await api.get(path)).status))
}

async function names(api: Client): Promise<string[]> {
  const all: string[] = []
  for (let page: number | null = 1; page !== null; ) {
    const { body } = expect(await api.get(`/ssh_keys?per_page=50&page=${page}`), 200)
    all.push(...body.ssh_keys.map(({ name }: { name: string }) => name))
    page = body.meta.pagination.next_page
  }
  return all
}

/** Tells whether a condition becomes true within a short time. */
export async function isSoon(holds: () => Promise<boolean>): Promise<boolean> {
  return until('', holds, { seconds: 20, everyMs: 100 }).then(
    () => true,
    () => false,
  )
}
