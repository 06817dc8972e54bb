/** `wolke serve --scenario`: a server that begins with faults. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { run, serve, token } from '../../clients/kit/clients.ts'
import { onPostgres } from '../../kit/engines.ts'
import { freshDatabase } from '../../kit/harness.ts'
import { makeClient } from '../../kit/http/client.ts'
import { selfSigned } from '../../kit/samples/certificates.ts'
import type { Closers } from '../../kit/world.ts'
import { bundle, program, token as served } from '../../program/kit/program.ts'
import { build } from '../../run/built.ts'
import { injectedBy, labBase } from './kit.ts'

before(build)
const { serve: serveOn, command } = program('scenario')

test('scenarios of the command line add up, those that ship and files', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-scenario-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mine.yaml')
  writeFileSync(
    file,
    'faults:\n  - name: mine\n    match: { operation: servers_list }\n    fault: { error: { code: timeout } }\n',
  )
  const service = await serve('memory', ['--scenario=maintenance', `--scenario=${file}`, '--scenario=next-spring'])
  t.after(() => service.stop())
  const api = makeClient(service.env.HCLOUD_ENDPOINT!, token)
  const [written, read, listed] = [
    await api.post('/firewalls', { name: 'one' }),
    await api.get('/servers'),
    await api.get('/locations'),
  ]
  assert.deepEqual([written.status, injectedBy(written)], [403, 'maintenance'])
  assert.deepEqual([read.status, injectedBy(read)], [504, 'mine'])
  assert.deepEqual([listed.status, listed.headers.get('link')], [200, null])
})

test('connections with TLS are reset and cut like all others', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-scenario-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, cert, key] = ['mine.yaml', 'cert.pem', 'key.pem'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const pair = selfSigned('localhost')
  writeFileSync(cert, pair.certificate)
  writeFileSync(key, pair.private_key)
  const rules = ['{ when: { first: 1 }, fault: { reset: after_effect } }', '{ fault: { truncate: { bytes: 10 } } }']
  writeFileSync(file, `faults:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`)
  const service = await serve('memory', [`--scenario=${file}`, `--tls-cert=${cert}`, `--tls-key=${key}`])
  t.after(() => service.stop())
  const outcome = () =>
    new Promise<string>((resolve) => {
      const headers = { authorization: `Bearer ${token}` }
      let bytes = 0
      request(`${service.env.HCLOUD_ENDPOINT}/locations`, { headers, rejectUnauthorized: false }, (response) => {
        response.on('data', (piece: Buffer) => {
          bytes += piece.length
        })
        response.on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code} after ${bytes} bytes`))
        response.on('end', () => resolve('whole'))
      })
        .on('error', ({ code }: NodeJS.ErrnoException) => resolve(`${code}`))
        .end()
    })
  assert.deepEqual([await outcome(), await outcome()], ['ECONNRESET', 'ECONNRESET after 10 bytes'])
})

test('processes that share a database have rules of their own, and say so', onPostgres, async (t) => {
  const opened: Closers = []
  t.after(async () => {
    for (const close of opened.reverse()) await close()
  })
  const { url: database } = (await freshDatabase('postgres', opened)) as { url: string }
  const servers = [
    await serveOn(database, '--lab', '--log-level=warn', '--scenario=maintenance'),
    await serveOn(database, '--lab', '--log-level=warn'),
  ]
  const made = await command('token', 'create', '--management', '--database', database)
  const manager = makeClient(servers[0]!.baseUrl, made.stdout.trim())
  const [, , scoped] = (await manager.get(`${labBase(servers[0]!.baseUrl)}/faults`)).body.faults
  assert.equal(scoped.scope, 'process')
  const statuses = []
  for (const { baseUrl } of servers)
    statuses.push((await makeClient(baseUrl, served).post('/firewalls', { name: 'one' })).status)
  assert.deepEqual(statuses, [403, 201])
  for (const { output, log } of servers) {
    assert.match(output(), /Lab +on, its clock is running\n +its faults and reports are those of this process: others /)
    assert.ok(log().some(({ msg }) => String(msg).startsWith('its faults and reports are those of this process')))
  }
})

test('what is no scenario keeps the server from starting, and is named with its line', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'wolke-scenario-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'mine.yaml')
  writeFileSync(file, 'faults:\n  - match:\n      location: moon\n    fault: { reset: before_effect }\n')
  const attempt = (...options: string[]) => run(process.execPath, [bundle, 'serve', ...options], { cwd: folder })
  const wrong = await attempt('--database', 'memory', '--scenario', file)
  assert.equal(wrong.code, 2)
  assert.ok(wrong.stderr.includes(`${file}:3: faults[0].match.location: must be the name of a location`), wrong.stderr)
  const unknown = await attempt('--database', 'memory', '--scenario', 'no-such')
  assert.equal(unknown.code, 2)
  assert.match(unknown.stderr, /--scenario no-such: no such file, and none that ships: .*sold-out/)
  const without = await attempt('--scenario', 'sold-out')
  assert.notEqual(without.code, 0)
  assert.match(without.stderr, /--scenario needs --lab/)
})
