/** Which data plane is chosen, and what the embedded one has nothing to do with. */

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DataPlaneOptions, openDataPlane } from '../../src/drivers/load-balancers/data-plane.ts'
import { DriverError } from '../../src/kernel/actions/define.ts'
import { until } from '../kit/database/bare-database.ts'
import { freePort } from '../kit/ports.ts'
import { listenHttp, ownAddress, portOf, serviceTo, stateOf } from '../stubs/embedded-balancer.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const optionsWith = (more: Partial<DataPlaneOptions>): DataPlaneOptions => ({
  name: undefined,
  directory: undefined,
  portOffset: 0,
  addressPool: ['192.0.2.0/24'],
  clock: { now: Date.now },
  log,
  ...more,
})

test('it is embedded where the first address of the first pool is one of this machine, else simulated', async () => {
  for (const pool of ['192.0.2.0/24', '192.0.2.7/32', '192.0.2.8/31', '2001:db8::/48']) {
    assert.equal(await openDataPlane(optionsWith({ addressPool: [pool] })), undefined, pool)
  }
  for (const pool of ['127.0.0.0/24', '127.0.0.1/32']) {
    const plane = await openDataPlane(optionsWith({ addressPool: [pool, '192.0.2.0/24'] }))
    assert.ok(plane, pool)
    await plane.close()
  }
})

test('HAProxy, which outlives the server, is refused without a folder in which it is found again', async () => {
  const open = async () => {
    const plane = await openDataPlane(optionsWith({ name: 'haproxy' }))
    await plane?.close()
  }
  await assert.rejects(open, /^Error: [^\n]*--load-balancers-directory$/)
})

test('the embedded one reaches nothing and listens nowhere in private networks, which it does not have', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
  const plane = await openDataPlane(optionsWith({ name: 'embedded', directory }))
  assert.ok(plane)
  const [address, privateAddress] = [ownAddress(), ownAddress()]
  const target = await listenHttp(privateAddress, (_, answer) => answer.end('of the machine'))
  t.after(async () => {
    await plane.close()
    target.close()
    rmSync(directory, { recursive: true })
  })
  const listenPort = await freePort(address)
  const state = stateOf(address, {
    services: [serviceTo(portOf(target), { listenPort })],
    targets: [{ address: privateAddress, server: 1, network: 7 }],
    place: { network: 7, address: privateAddress },
  })
  await plane.driver.apply(state)
  const answer = await fetch(`http://${address}:${listenPort}/`)
  assert.equal(answer.status, 503)
  await answer.text()
  assert.deepEqual((await plane.driver.observe([state.id])).get(state.id)?.health, [])
  await assert.rejects(fetch(`http://${privateAddress}:${listenPort}/`))
})

test('trouble of the embedded one is transient, so that actions are repeated', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
  const plane = await openDataPlane(optionsWith({ name: 'embedded', directory }))
  assert.ok(plane)
  rmSync(directory, { recursive: true })
  const state = stateOf(ownAddress(), { services: [] })
  await assert.rejects(plane.driver.apply(state), (error) => error instanceof DriverError && error.transient)
  await plane.close()
})

test('a data plane without a folder of its own leaves none behind', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('wolke-lb-'))
  const before = folders()
  const plane = await openDataPlane(optionsWith({ name: 'embedded' }))
  const [folder] = folders().filter((name) => !before.includes(name))
  assert.ok(plane && folder)
  await plane.close()
  await until(() => !existsSync(join(tmpdir(), folder)))
})

test('what nobody knows is forgotten, and a later one under its id is another one', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
  const plane = await openDataPlane(optionsWith({ name: 'embedded', directory }))
  assert.ok(plane)
  t.after(async () => {
    await plane.close()
    rmSync(directory, { recursive: true })
  })
  const state = stateOf(ownAddress(), { services: [], generation: 9 })
  await plane.driver.apply(state)
  await plane.driver.remove(state.id, null)
  assert.deepEqual((await plane.driver.inventory())?.balancers, [])
  await plane.driver.apply({ ...state, generation: 1 })
  assert.deepEqual((await plane.driver.inventory())?.balancers, [state.id])
  await plane.driver.remove(state.id, 1)
  await plane.driver.apply({ ...state, generation: 1 })
  assert.deepEqual((await plane.driver.inventory())?.balancers, [], 'only a newer one comes back')
})
