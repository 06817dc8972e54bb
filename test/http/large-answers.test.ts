/** Large answers are sent bit by bit, and are whole whichever way they go and however slowly they are read. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { openLog } from '../../src/kernel/process/log.ts'
import { until } from '../kit/database/bare-database.ts'
import { coverServers } from '../kit/database/covered-servers.ts'
import { forEachDatabase, type World } from '../kit/harness.ts'
import { firstProject } from '../kit/http/scoped-clients.ts'

async function ask(
  { baseUrl, api }: World,
  path: string,
  { method = 'GET', encoding = 'identity', body = '' } = {},
): Promise<IncomingMessage> {
  const headers = {
    authorization: `Bearer ${api.token}`,
    'accept-encoding': encoding,
    ...(body && { 'content-type': 'application/json; charset=utf-8' }),
  }
  const asking = request(`${baseUrl}${path}`, { method, headers }).end(body)
  const [answer] = (await once(asking, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  return answer
}

async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const some of answer) read.push(some)
  return Buffer.concat(read)
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

forEachDatabase('A large answer', (open) => {
  test('is the same in every encoding, with and without the framework, and says its length', async () => {
    const world = await open()
    const scope = { projectId: await firstProject(world) }
    const [id] = await world.db.transact((tx) => coverServers(tx, scope, { count: 3, servers: 20_000 }))
    const answer = await ask(world, '/firewalls')
    const list = await bytesOf(answer)
    assert.equal(answer.headers['content-length'], String(list.length))
    const { firewalls } = JSON.parse(list.toString())
    assert.equal(list.toString(), JSON.stringify(JSON.parse(list.toString())))
    assert.equal(firewalls[2].applied_to[0].applied_to_resources.length, 20_000)
    assert.equal(digest(gunzipSync(await bytesOf(await ask(world, '/firewalls', { encoding: 'gzip' })))), digest(list))
    assert.equal(
      digest(brotliDecompressSync(await bytesOf(await ask(world, '/firewalls', { encoding: 'br' })))),
      digest(list),
    )
    // A body that says more of itself than that it is JSON goes through the framework.
    const changed = await ask(world, `/firewalls/${id}`, { method: 'PUT', body: '{"labels":{}}' })
    const one = await bytesOf(changed)
    assert.equal(changed.headers['content-length'], String(one.length))
    assert.equal(digest(one), digest(await bytesOf(await ask(world, `/firewalls/${id}`))))
    assert.deepEqual(JSON.parse(one.toString()).firewall, firewalls[0])
    const headers = { authorization: `Bearer ${world.api.token}` }
    const [head] = await once(
      request(`${world.baseUrl}/firewalls/${id}`, { method: 'HEAD', headers }).end(),
      'response',
    )
    assert.deepEqual([head.statusCode, (await bytesOf(head)).length], [200, 0])
  })

  test('waits for who reads slowly, holds nobody else up meanwhile, and ends with who goes away', async () => {
    const world = await open()
    const scope = { projectId: await firstProject(world) }
    await world.db.transact((tx) => coverServers(tx, scope, { count: 5, servers: 30_000 }))
    const [slow, gone] = await Promise.all([ask(world, '/firewalls'), ask(world, '/firewalls')])
    const quick = digest(await bytesOf(await ask(world, '/firewalls')))
    gone.destroy()
    assert.equal((await world.api.get('/firewalls?name=covering-1')).status, 200)
    assert.equal(digest(await bytesOf(slow)), quick)
  })

  test('is no failure when who asked leaves before it', async () => {
    const [lines, log] = [[] as string[], new PassThrough()]
    log.on('data', (line: Buffer) => lines.push(String(line)))
    const world = await open({ log: openLog('info', log) })
    const scope = { projectId: await firstProject(world) }
    const [id] = await world.db.transact((tx) => coverServers(tx, scope, { count: 1, servers: 5_000 }))
    const path = `/firewalls/${id}`
    const headers = { authorization: `Bearer ${world.api.token}` }
    for (let count = 0; count < 20; count++) {
      const asking = request(`${world.baseUrl}${path}`, { headers })
      asking.on('error', () => undefined)
      await new Promise((resolve) => asking.end(() => resolve(undefined)))
      asking.destroy()
    }
    await until(() => lines.filter((line) => line.includes(path)).length === 20)
    assert.deepEqual(
      lines.filter((line) => line.includes('"level":50') || line.includes('"status":500')),
      [],
    )
  })
})
