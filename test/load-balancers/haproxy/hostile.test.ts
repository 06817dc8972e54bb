/** Text of users in HAProxy's configuration: HAProxy understands every configuration, and as it was meant. */

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual, promisify } from 'node:util'
import fc from 'fast-check'
import { configurationOf } from '../../../src/drivers/load-balancers/haproxy/configuration/configuration.ts'
import { healthOfAll } from '../../../src/drivers/load-balancers/haproxy/health.ts'
import { Master } from '../../../src/drivers/load-balancers/haproxy/master.ts'
import type { BalancerService, BalancerState } from '../../../src/families/load-balancers/driver.ts'
import { freePort } from '../../kit/ports.ts'
import { httpService, plainState, skipsHaproxy } from '../../stubs/haproxy.ts'

const visible = (size: { minLength: number; maxLength: number }) =>
  fc.string({ ...size, unit: fc.oneof(fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))) })
const token = fc.string({
  minLength: 1,
  maxLength: 20,
  unit: fc.constantFrom(..."!#$%&'*+.^_`|~09azAZ-"),
})
const nasty = fc.constantFrom(
  "'",
  '"',
  '\\',
  '\n',
  '\0',
  '#',
  '%[src]',
  '$HOME',
  '\u0024{HOME}',
  "' }",
  ' if FALSE',
  '\\x41',
  '{',
)
const text = fc.array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 8 })

/** What users may write, all of which HAProxy can express. */
const wish = fc.record({
  cookieName: token,
  path: fc
    .oneof(
      visible({ minLength: 0, maxLength: 40 }),
      nasty.filter((one) => !/[\s\0]/.test(one)),
    )
    .map((path) => `/${path}`),
  domain: fc.oneof(fc.constant(''), visible({ minLength: 1, maxLength: 40 })),
  // A lone half of a character has no bytes of its own.
  response: text.map((parts) => parts.join('').toWellFormed()),
  statusCodes: fc.array(fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom(...'0123456789?*') }), {
    maxLength: 4,
  }),
})
type Wish = typeof wish extends fc.Arbitrary<infer T> ? T : never

function serviceOf({ cookieName, ...http }: Wish, listenPort: number, destinationPort: number): BalancerService {
  return {
    ...httpService,
    listenPort,
    destinationPort,
    http: { ...httpService.http!, isSticky: true, cookieName },
    healthCheck: { ...httpService.healthCheck, port: destinationPort, timeout: 3, http: { usesTls: false, ...http } },
  }
}

const target = { address: '127.0.0.1', server: null, network: null }

function stateOf(services: BalancerService[]): BalancerState {
  return { ...plainState, publicAddresses: ['127.0.0.1'], services, targets: [target] }
}

/** A folder in which HAProxy finds what a configuration names. */
function openFolder(t: TestContext, state: BalancerState): string {
  const folder = mkdtempSync('/tmp/wolke-hostile-')
  t.after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'haproxy.cfg'), configurationOf(state))
  return folder
}

/** What a target was asked for first, in each request. */
async function listen(t: TestContext, answer: Buffer): Promise<{ port: number; requests: Buffer[] }> {
  const requests: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (request) => {
      requests.push(request)
      socket.end(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, requests }
}

function startHaproxy(t: TestContext, folder: string): Master {
  const args = ['-W', '-S', 'unix@master.sock,mode,600', '-f', 'haproxy.cfg']
  const child: ChildProcess = spawn('haproxy', args, { cwd: folder, stdio: 'ignore' })
  t.after(async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  })
  return new Master(folder)
}

const answerOf = (status: number, body: string) =>
  Buffer.from(`HTTP/1.0 ${status} Fine\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)

/** An answer that has everything of a text but its last byte. */
const lastCut = (answer: Buffer) => Buffer.concat([answer.subarray(0, -1), Buffer.from([answer.at(-1)! ^ 1])])

describe('hostile text', { skip: skipsHaproxy }, () => {
  test('never spoils a configuration', async (t) => {
    const states = fc.sample(fc.array(wish, { minLength: 1, maxLength: 5 }), { numRuns: 200, seed: 7 })
    const check = async (wishes: Wish[]) => {
      const state = stateOf(wishes.map((one, index) => serviceOf(one, 8_000 + index, 80)))
      const folder = openFolder(t, state)
      await promisify(execFile)('haproxy', ['-c', '-f', 'haproxy.cfg'], { cwd: folder })
    }
    for (let at = 0; at < states.length; at += 2) await Promise.all(states.slice(at, at + 2).map(check))
  })

  test('means itself', async (t) => {
    const wishes = fc.sample(wish, { numRuns: 20, seed: 11 }).map((one) => ({ ...one, statusCodes: ['2??'] }))
    const targets = await Promise.all(wishes.map(({ response }) => listen(t, answerOf(200, response))))
    const wrong = await Promise.all(wishes.map(({ response }) => listen(t, lastCut(answerOf(200, response || '.')))))
    const ports = await Promise.all([...targets, ...wrong].map(() => freePort()))
    const services = [...targets, ...wrong].map(({ port }, index) =>
      serviceOf(wishes[index % wishes.length]!, ports[index]!, port),
    )
    const master = startHaproxy(t, openFolder(t, stateOf(services)))
    const answered = (of: Wish) => (of.response === '' ? 'healthy' : 'unexpected_http_content')
    const expected = [...wishes.map(() => 'healthy'), ...wishes.map(answered)]
    await settled(master, new Map(expected.map((health, index) => [ports[index]!, health])))
    for (const [index, { path, domain, cookieName }] of wishes.entries()) {
      const [line = '', ...headers] = targets[index]!.requests[0]!.toString('latin1').split('\r\n')
      assert.equal(line, `GET ${path} HTTP/1.${domain ? 1 : 0}`)
      const hosts = headers.filter((header) => /^host:/i.test(header)).map((header) => header.slice(6))
      assert.deepEqual(hosts, domain ? [domain] : [])
      const response = await fetch(`http://127.0.0.1:${ports[index]}/`)
      assert.ok(response.headers.getSetCookie()[0]!.startsWith(`${cookieName}=`))
    }
  })
})

/** Waits for the health of all services; a check may fail while the machine is busy. */
async function settled(master: Master, expected: ReadonlyMap<number, string>): Promise<void> {
  const until = performance.now() + 30_000
  for (;;) {
    const rows = (await master.hasWorkerWithin(5_000)) ? await master.checks() : []
    const health = healthOfAll(rows, {}).map(({ listenPort, health }): [number, string] => {
      return [listenPort, health.status === 'unhealthy' ? health.detail : health.status]
    })
    if (isDeepStrictEqual(new Map(health), expected)) return
    if (performance.now() > until) assert.deepEqual(new Map(health), expected)
    await delay(20)
  }
}
