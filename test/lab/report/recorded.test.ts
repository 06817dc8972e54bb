/** The requests that a lab records, and what it keeps of them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createManagementToken } from '../../../src/kernel/access/management-tokens.ts'
import { forEachDatabase } from '../../kit/harness.ts'
import { done, unique } from '../../kit/proof.ts'
import { frozen, reportsOf } from './lab.ts'

/** Sends a request whose target is a whole URL, as to a proxy. */
function askByUrl(url: string): Promise<unknown> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: url, agent: false }, (response) =>
      response.resume().on('end', resolve),
    )
    sent.on('error', reject).end()
  })
}

/** The commands of the first example of the page about reports, without those of the suite. */
function example(origin: string): string {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/report.md'), 'utf8')
  const [, commands = ''] = /```sh\n([\s\S]*?)```/.exec(page) ?? []
  const lines = commands.split('\n').filter((line) => !line.startsWith('terraform '))
  return lines.join('\n').replaceAll('http://127.0.0.1:8080', origin)
}

forEachDatabase('A lab', (open) => {
  test('records requests to the public API and no others', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const { origin } = new URL(world.baseUrl)
    for (const path of ['/metrics', '/robots.txt', '/ca.pem', '/openapi.json', '/']) await world.api.get(origin + path)
    await askByUrl(`${world.baseUrl}/servers`)
    await world.api.get('/locations')
    await world.api.get('/nothing')
    await world.api.get(`${origin}/storage/v1/storage_box_types`)
    const box = { ...{ name: 'a', storage_box_type: 'bx11', location: 'fsn1' }, password: 'Sturdy-Box-2026!' }
    await world.api.post('/storage_boxes', box)
    const { log } = await done(reports.client.get(`${reports.url}/har`))
    assert.deepEqual(
      log.entries.map(({ request }: { request: { url: string } }) => request.url),
      [
        `${world.baseUrl}/locations`,
        `${world.baseUrl}/nothing`,
        `${origin}/storage/v1/storage_box_types`,
        `${world.baseUrl}/storage_boxes`,
      ],
    )
    assert.doesNotMatch(JSON.stringify(log), /Sturdy/)
  })

  test('keeps the faults that have hit a request', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const error = { code: 'unavailable' }
    const busy = { name: 'busy', match: { operation: 'POST /firewalls' }, when: { first: 1 }, fault: { error } }
    const slow = { name: 'slow', match: { operation: 'GET /firewalls' }, fault: { latency: { duration: '1ms' } } }
    for (const rule of [busy, slow]) await done(reports.client.post(`${reports.url}/faults`, rule))
    await world.api.post('/firewalls', { name: 'one' })
    await world.api.post('/firewalls', { name: 'one' })
    await world.api.get('/firewalls')
    const { log } = await done(reports.client.get(`${reports.url}/har`))
    const injected = log.entries.map(({ response }: { response: { headers: { name: string; value: string }[] } }) =>
      response.headers.filter(({ name }) => name === 'wolke-injected').map(({ value }) => value),
    )
    assert.deepEqual(injected, [['busy'], [], ['slow']])
  })

  test('lists the runs that can be asked for', async () => {
    const world = await open(frozen())
    const reports = await reportsOf(world)
    const list = async () => (await done(reports.client.get(`${reports.url}/runs`))).runs
    assert.deepEqual(await list(), [])
    const run = await reports.begin()
    const [listed] = await list()
    assert.equal(listed.id, run)
    await done(reports.client.get(`${reports.url}/runs/${listed.id}/report`))
  })

  test('answers the commands of the page about reports', async (t) => {
    const world = await open(frozen())
    const given = { name: unique('suite'), created: '2026-11-21T12:00:00Z' }
    const { token } = await world.db.transact((tx) => createManagementToken(tx, given))
    const folder = mkdtempSync(join(tmpdir(), 'wolke-report-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = `${dirname(process.execPath)}:${process.env.PATH}`
    const commands = example(new URL(world.baseUrl).origin)
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: folder,
      env: { ...process.env, PATH: path, LAB_TOKEN: token },
    })
    assert.match(stdout, /^Run 1 \(my suite\), from .* to \d.*\n0 requests/)
    assert.match(readFileSync(join(folder, 'report.xml'), 'utf8'), /<testsuite name="my suite" tests="3" failures="0"/)
  })
})
