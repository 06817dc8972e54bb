/** Changes that are cut off by the end of the API server, after HAProxy's files were written and before HAProxy heard of it. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { Master } from '../../../src/drivers/load-balancers/haproxy/master.ts'
import type { BalancerState } from '../../../src/families/load-balancers/driver.ts'
import { httpService, openWorld, plainState, skipsHaproxy, type World } from '../../stubs/haproxy.ts'
import { certificate } from '../kit/balancers.ts'
import { ask } from '../kit/clients.ts'

/** A target of its own address, which answers with it. */
async function listen(t: TestContext, address: string): Promise<string> {
  execFileSync('ip', ['address', 'replace', `${address}/32`, 'dev', 'lo'])
  const server = createServer((_, response) => response.end(address)).listen(8_080, address)
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
    execFileSync('ip', ['address', 'delete', `${address}/32`, 'dev', 'lo'])
  })
  return address
}

function stateOf(world: World, generation: number, more: Partial<BalancerState>): BalancerState {
  return { ...plainState, generation, publicAddresses: [world.address(80)], ...more }
}

/** Ends the process in the place of the signal that would make HAProxy read its files. */
const diesAtReload = `
  const kill = process.kill.bind(process)
  process.kill = (pid, signal) => (signal === 'SIGUSR2' ? kill(process.pid, 'SIGKILL') : kill(pid, signal))`

/** Ends the process in the place of the command that would replace a certificate in HAProxy's memory. */
const diesAtCertificate = `
  import { Socket } from 'node:net'
  const { end } = Socket.prototype
  Socket.prototype.end = function (...args) {
    if (String(args[0]).startsWith('@1 set ssl cert')) process.kill(process.pid, 'SIGKILL')
    return end.apply(this, args)
  }`

/** Applies a state in a process of its own, which ends where it is told to. */
async function applyUntilDeath(world: World, state: BalancerState, dies: string): Promise<void> {
  const source = new URL('../../../src/drivers/load-balancers/haproxy/haproxy.ts', import.meta.url).href
  const script = `${dies}
    const { openHaproxy } = await import(${JSON.stringify(source)})
    const driver = await openHaproxy({ directory: ${JSON.stringify(world.directory)}, log: console })
    await driver.apply(${JSON.stringify(state)})
    process.exit(0)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
  assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
}

const processesOf = ({ directory }: World) => new Master(join(directory, '1')).processes()

describe('HAProxy whose change was cut off', { skip: skipsHaproxy }, () => {
  test('takes it over when the same change comes again', async (t) => {
    const world = openWorld(t)
    const [first, second] = [await listen(t, world.address(2)), await listen(t, world.address(3))]
    const to = (generation: number, address: string) =>
      stateOf(world, generation, { services: [httpService], targets: [{ address, server: 1, network: null }] })
    const whereto = { host: world.address(80), port: 80 }
    const driver = await world.open()
    await driver.apply(to(1, first))
    await applyUntilDeath(world, to(2, second), diesAtReload)
    assert.ok(readFileSync(join(world.directory, '1/haproxy.cfg'), 'utf8').includes(second), 'the files were written')
    assert.equal((await ask(whereto)).body, first)
    await driver.apply(to(2, second))
    assert.equal((await ask(whereto)).body, second)
    const before = await processesOf(world)
    await driver.apply(to(3, second))
    assert.deepEqual(await processesOf(world), before, 'what is finished is not reloaded again')
  })

  test('serves the new certificate when the same change comes again', async (t) => {
    const world = openWorld(t)
    const [first, renewed] = [certificate('www.example.com'), certificate('www.example.com')]
    const by = (generation: number, { chain, privateKey }: typeof first) => {
      const http = { ...httpService.http!, certificates: [{ id: 1, chain, privateKey }] }
      return stateOf(world, generation, { services: [{ ...httpService, protocol: 'https', listenPort: 443, http }] })
    }
    const serial = async () => (await ask({ host: world.address(80), port: 443 }, { name: 'www.example.com' })).serial
    const driver = await world.open()
    await driver.apply(by(1, first))
    const before = await serial()
    await applyUntilDeath(world, by(2, renewed), diesAtCertificate)
    assert.equal(await serial(), before)
    await driver.apply(by(2, renewed))
    assert.notEqual(await serial(), before)
  })

  test('takes over what it is told next, when that is refused at first', async (t) => {
    const world = openWorld(t)
    const [first, second] = [await listen(t, world.address(2)), await listen(t, world.address(3))]
    const to = (generation: number, address: string, more: Partial<BalancerState> = {}) =>
      stateOf(world, generation, { services: [httpService], targets: [{ address, server: 1, network: null }], ...more })
    const driver = await world.open()
    await driver.apply(to(1, first))
    await applyUntilDeath(world, to(2, second), diesAtReload)
    const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
    const certificates = [{ id: 1, chain: pem('CERTIFICATE'), privateKey: pem('PRIVATE KEY') }]
    const https = { ...httpService, protocol: 'https', listenPort: 443, http: { ...httpService.http!, certificates } }
    const broken = { services: [httpService, https] as BalancerState['services'] }
    await assert.rejects(driver.apply(to(3, second, broken)), { transient: false })
    await driver.apply(to(4, second))
    assert.equal((await ask({ host: world.address(80), port: 80 })).body, second)
  })
})
