/** Damages pages and truncates the log: the server reports the damage, confines it and keeps running. */
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { publicKey } from '../../src/families/ssh-keys/proof.ts'
import { expect } from '../../test/kit/resources.ts'
import { atLeast, type Context, type Finding, none } from '../attack.ts'
import { client } from '../installation.ts'
import type { Random } from '../random.ts'
import { isSoon } from './full.ts'

/** A text in every row to be damaged, by which its pages are found. */
const mark = 'to-be-damaged'

/** Overwrites bytes in pages with marked rows. Returns the number of damaged pages. */
function damage(path: string, random: Random): number {
  const bytes = readFileSync(path)
  const pageSize = bytes.readUInt16BE(16)
  let damaged = 0
  for (let at = pageSize; at < bytes.length; at += pageSize) {
    const page = bytes.subarray(at, at + pageSize)
    if (!page.includes(mark) || random.chance(0.3)) continue
    damaged++
    // Some pages lose their header, others a few bytes anywhere.
    if (random.chance(0.5)) random.bytes(64).copy(page)
    else for (let i = 0; i < 40; i++) page[random.below(pageSize)] = random.below(256)
  }
  writeFileSync(path, bytes)
  return damaged
}

export async function damagedPages(context: Context): Promise<Finding[]> {
  const installation = await context.install()
  const { path } = installation.url as { path: string }
  const tenant = installation.tenants[0]
  let server = await installation.serve()
  let api = client(server, tenant)
  const ids: number[] = []
  for (let i = 0; i < context.size(40, 300); i++) {
    const body = { name: `${mark}-${i}`, public_key: publicKey(), labels: { a: 'x'.repeat(63), b: 'y'.repeat(63) } }
    ids.push(expect(await api.post('/ssh_keys', body), 201).body.ssh_key.id)
  }
  await server.stop()
  const file = new DatabaseSync(path)
  file.exec('pragma wal_checkpoint(truncate)')
  file.close()
  const damaged = damage(path, context.random)

  server = await installation.serve()
  api = client(server, tenant)
  const ends: string[] = []
  const wrong: string[] = []
  let met = 0
  const ask = async (what: string, work: () => ReturnType<typeof api.get>): Promise<number> => {
    const status = await work().then(
      (answer) => answer.status,
      () => 0,
    )
    await delay(0)
    if (status >= 500) met++
    if (status === 0) {
      ends.push(`${what} ends the process`)
      await server.kill()
      server = await installation.serve()
      api = client(server, tenant)
    }
    return status
  }
  for (const id of ids.slice(0, context.size(10, 60))) {
    // Starts take a while, and more crashes would not add information.
    if (ends.length >= 5) break
    await ask(`GET ${id}`, () => api.get(`/ssh_keys/${id}`))
    await ask(`PUT ${id}`, () => api.put(`/ssh_keys/${id}`, { labels: { changed: 'yes' } }))
    await ask(`DELETE ${id}`, () => api.delete(`/ssh_keys/${id}`))
    await ask('the list', () => api.get('/ssh_keys?sort=name'))
    const others = [
      await ask('a read of others', () => api.get('/firewalls')),
      await ask('a write of others', () => api.post('/firewalls', { name: `firewall-${id}` })),
    ]
    for (const status of others) if (status >= 300) wrong.push(`what is not damaged: ${status}`)
  }
  const isTold = await isSoon(async () => (await fetch(`${server.url}/health`)).status === 503)
  await server.stop()
  return [
    atLeast('pages of the file are damaged', damaged, 'pages', 1),
    atLeast('requests meet damaged pages', met + ends.length, 'answers of 5xx', 1),
    none('a damaged page does not end the process', 'ends', ends, context),
    none('what lies elsewhere is read and written as before', 'failed', wrong, context),
    none('/health tells of damaged pages', 'untold', isTold ? [] : ['/health is 200'], context),
  ]
}

/** Truncates the log of a killed server, as a disk does that acknowledged writes it had not made. */
export async function truncatedLog(context: Context): Promise<Finding[]> {
  const installation = await context.install()
  const { path } = installation.url as { path: string }
  const log = `${path}-wal`
  const wrong: string[] = []
  for (let round = 0; round < context.size(2, 15); round++) {
    const server = await installation.serve()
    const api = client(server, installation.tenants[0])
    for (let i = 0; i < 30; i++) {
      const { status } = await api.post('/ssh_keys', { name: `key-${round}-${i}`, public_key: publicKey() })
      if (status !== 201) wrong.push(`round ${round}: a write got ${status}`)
    }
    const list = await api.get('/ssh_keys')
    if (list.status !== 200) wrong.push(`round ${round}: a read got ${list.status}`)
    await server.kill()
    if (existsSync(log)) truncateSync(log, context.random.below(statSync(log).size))
    const file = new DatabaseSync(path)
    const { integrity_check: verdict } = file.prepare('pragma integrity_check').get() as { integrity_check: string }
    file.close()
    if (verdict !== 'ok') wrong.push(`round ${round}: ${verdict}`)
  }
  return [
    none('a log that lost its end leaves a database that is whole, of some moment before', 'failed', wrong, context),
  ]
}
