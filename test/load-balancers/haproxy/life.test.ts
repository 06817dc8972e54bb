import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs'
import { createServer, get } from 'node:http'
import { connect, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Master } from '../../../src/drivers/load-balancers/haproxy/master.ts'
import { namesOf } from '../../../src/drivers/load-balancers/haproxy/namespace.ts'
import { checkRequirements } from '../../../src/drivers/load-balancers/haproxy/requirements.ts'
import type { BalancerState, LoadBalancerDriver } from '../../../src/families/load-balancers/driver.ts'
import { httpService, openWorld, plainState, skipsHaproxy, type World } from '../../stubs/haproxy.ts'

const service = {
  ...httpService,
  healthCheck: { ...httpService.healthCheck, interval: 1, timeout: 10, retries: 1 },
}

const ip = (...args: string[]) => execFileSync('ip', args).toString()

/** A target that answers with its address. */
async function listen(t: TestContext, address: string): Promise<void> {
  const server = createServer((_, response) => response.end(address)).listen(8_080, address)
  await once(server, 'listening')
  t.after(() => closed(server))
}

function closed(server: Server & { closeAllConnections?(): void }): Promise<unknown> {
  server.closeAllConnections?.()
  server.close()
  return once(server, 'close')
}

function stateOf(world: World, more: Partial<BalancerState> = {}): BalancerState {
  const targets = [{ address: world.target, server: 1, network: null }]
  return { ...plainState, publicAddresses: [world.address(80)], services: [service], targets, ...more }
}

/** The status of an answer, 0 when there is none. */
function statusOf(address: string): Promise<number> {
  return new Promise((resolve) => {
    const request = get({ host: address, agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode!))
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(0))
  })
}

/** Waits until something is so; the test runner bounds it. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(20)
}

async function healthIn(driver: LoadBalancerDriver, id = 1): Promise<string[]> {
  const health = (await driver.observe([id])).get(id)?.health ?? []
  return health.map((one) => one.health.status)
}

/** Whether a process has ended, which takes it a while after it was killed. Nobody may have asked how it ended yet. */
const isGone = (pid: number) => !existsSync(`/proc/${pid}/cwd`)

const masterOf = ({ directory }: World, id = 1) => new Master(join(directory, String(id)))
const namesIn = ({ directory }: World, id = 1) => namesOf(readFileSync(join(directory, 'installation'), 'utf8'), id)

describe('HAProxy', { skip: skipsHaproxy }, () => {
  test('runs on when the driver is gone, and another one takes it over', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const source = new URL('../../../src/drivers/load-balancers/haproxy/haproxy.ts', import.meta.url).href
    const script = `
      import { openHaproxy } from ${JSON.stringify(source)}
      const driver = await openHaproxy({ directory: ${JSON.stringify(world.directory)}, log: console })
      await driver.apply(${JSON.stringify(stateOf(world))})
      process.kill(process.pid, 'SIGKILL')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' })
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
    assert.equal(await statusOf(world.address(80)), 200)
    const before = await masterOf(world).processes()
    const driver = await world.open()
    const inventory = await driver.inventory()
    assert.deepEqual(inventory?.balancers, [1])
    await driver.apply(stateOf(world))
    assert.deepEqual(await masterOf(world).processes(), before)
    assert.equal((await driver.observe([1, 2])).get(1)?.generation, 1)
    assert.deepEqual(await (await world.open()).inventory(), inventory)
  })

  test('obeys the newest of several drivers that change it at once', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const drivers = [await world.open(), await world.open()]
    const generations = [3, 1, 6, 2, 5, 4]
    const port = (generation: number) => [{ ...service, listenPort: 80 + generation }]
    await Promise.all(
      generations.map((generation, index) =>
        drivers[index % 2]!.apply(stateOf(world, { generation, services: port(generation) })),
      ),
    )
    assert.equal((await drivers[0]!.observe([1])).get(1)?.generation, 6)
    const configuration = readFileSync(join(world.directory, '1/haproxy.cfg'), 'utf8')
    assert.match(configuration, /^frontend service_86$/m)
  })

  test('is started again with what it knew, whoever runs', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    const dead = { address: world.address(2), server: 2, network: null }
    const targets = [...stateOf(world).targets, dead]
    const slow = { ...service, healthCheck: { ...service.healthCheck, interval: 20 } }
    await driver.apply(stateOf(world, { targets, services: [service] }))
    await until(async () => (await healthIn(driver)).join() === 'healthy,unhealthy')
    await driver.apply(stateOf(world, { generation: 2, targets, services: [service, { ...slow, listenPort: 81 }] }))
    await driver.close()
    const before = await masterOf(world).processes()
    process.kill(before.worker!, 'SIGKILL')
    await until(async () => !existsSync(`/proc/${before.master}/cwd`))
    await until(async () => (await statusOf(world.address(80))) === 200)
    assert.ok(await masterOf(world).hasWorkerWithin(5_000))
    const again = await world.open()
    const [first, second] = (await again.observe([1])).get(1)!.health
    assert.equal(first?.health.status, 'healthy')
    assert.equal(second?.health.status, 'unhealthy')
  })

  test('keeps the old worker when a change fails, and says why', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    const before = readFileSync(join(world.directory, '1/haproxy.cfg'), 'utf8')
    const pem = (label: string) => `-----BEGIN ${label}-----\nAAAA\n-----END ${label}-----\n`
    const certificates = [{ id: 1, chain: pem('CERTIFICATE'), privateKey: pem('PRIVATE KEY') }]
    const https = { ...service, protocol: 'https', listenPort: 443, http: { ...service.http!, certificates } } as const
    const broken = stateOf(world, { generation: 2, services: [service, https] })
    await assert.rejects(driver.apply(broken), { transient: false, message: /tls\/1\.pem/ })
    assert.equal(await statusOf(world.address(80)), 200)
    assert.equal(readFileSync(join(world.directory, '1/haproxy.cfg'), 'utf8'), before)
    assert.deepEqual(readdirSync(join(world.directory, '1/tls')), [])
    assert.equal((await driver.observe([1])).get(1)?.generation, 1)
    await driver.apply(stateOf(world, { generation: 3, algorithm: 'least_connections' }))
    assert.equal(await statusOf(world.address(80)), 200)
  })

  test('counts what old workers still carry', async (t) => {
    const world = openWorld(t)
    const echo = createTcpServer((socket) => socket.pipe(socket).on('error', () => socket.destroy()))
    echo.listen(8_080, world.target)
    t.after(() => closed(echo))
    const tcp = {
      ...service,
      protocol: 'tcp',
      http: null,
      healthCheck: { ...service.healthCheck, protocol: 'tcp', http: null },
    }
    const driver = await world.open()
    const services = [tcp] as BalancerState['services']
    await driver.apply(stateOf(world, { services }))
    const client = connect(80, world.address(80))
    const say = async (text: string) => {
      client.write(text)
      for (let read = 0; read < text.length; ) read += (await once(client, 'data'))[0].length
    }
    await say('a'.repeat(1_000))
    for (const generation of [2, 3]) {
      const algorithm = generation === 2 ? 'least_connections' : 'round_robin'
      await driver.apply(stateOf(world, { generation, services, algorithm }))
      await say('b'.repeat(2_000))
    }
    const { oldWorkers } = await masterOf(world).processes()
    assert.equal(oldWorkers.length, 1)
    const total = async () => (await driver.observe([1])).get(1)!.traffic
    await until(async () => (await total()).outgoing >= 5_000)
    assert.deepEqual(await total(), { ingoing: 5_000, outgoing: 5_000 })
    client.destroy()
  })

  test('reaches a private network where it is plugged in, and by no other way', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    const place = { network: 5, address: world.address(90) }
    const targets = [{ address: world.target, server: 1, network: 5 }]
    await driver.apply(stateOf(world, { place, targets }))
    await until(async () => (await healthIn(driver)).join() === 'unhealthy')
    const { privateEnd } = namesIn(world)
    ip('link', 'set', privateEnd, 'up')
    ip('route', 'add', `${place.address}/32`, 'dev', privateEnd, 'src', world.target)
    await until(async () => (await healthIn(driver)).join() === 'healthy')
    assert.equal(await statusOf(place.address), 200)
    await driver.apply(stateOf(world, { generation: 2 }))
    assert.ok(!ip('-br', 'link').includes(privateEnd))
  })

  test('runs without services, targets and addresses', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world, { services: [], targets: [] }))
    await driver.apply(stateOf(world, { generation: 2, publicAddresses: [] }))
    assert.ok(!ip('route').includes(world.address(80)))
    await driver.apply(stateOf(world, { generation: 3, targets: [] }))
    assert.equal(await statusOf(world.address(80)), 503)
    await driver.apply(stateOf(world, { generation: 4 }))
    assert.equal(await statusOf(world.address(80)), 200)
  })

  test('moves to other addresses', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    await driver.apply(stateOf(world, { generation: 2, publicAddresses: [world.address(81)] }))
    assert.equal(await statusOf(world.address(81)), 200)
    assert.ok(!ip('route').includes(world.address(80)))
  })

  test('is removed with all that belongs to it, and stays so', async (t) => {
    const world = openWorld(t)
    const driver = await world.open()
    const { namespace, publicEnd } = namesIn(world)
    await driver.apply(stateOf(world))
    await driver.remove(1, 0)
    assert.deepEqual((await driver.inventory())?.balancers, [1])
    const { master } = await masterOf(world).processes()
    await driver.remove(1, 2)
    await driver.remove(1, 2)
    assert.ok(isGone(master))
    assert.ok(!ip('netns').includes(namespace) && !ip('-br', 'link').includes(publicEnd))
    assert.deepEqual(readdirSync(world.directory).sort(), ['history', 'installation', 'removed'])
    await driver.apply(stateOf(world, { generation: 2 }))
    assert.deepEqual((await driver.inventory())?.balancers, [])
    assert.equal((await driver.observe([1])).size, 0)
    await driver.apply(stateOf(world, { generation: 3 }))
    assert.deepEqual((await driver.inventory())?.balancers, [1])
  })

  test('that was removed long ago is forgotten by the next driver', async (t) => {
    const world = openWorld(t)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    await driver.remove(1, 2)
    const note = join(world.directory, 'removed/1')
    await world.open()
    assert.ok(existsSync(note), 'what comes late is still refused')
    utimesSync(note, 0, 0)
    await world.open()
    assert.ok(!existsSync(note))
  })

  test('is repaired where its supervisor or its namespace is gone', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    const { master } = await masterOf(world).processes()
    const supervisor = Number(readFileSync(join(world.directory, '1/supervisor.pid'), 'utf8'))
    process.kill(supervisor, 'SIGKILL')
    await until(async () => isGone(supervisor))
    await driver.apply(stateOf(world))
    assert.equal(await statusOf(world.address(80)), 200)
    const again = (await masterOf(world).processes()).master
    assert.notEqual(again, master)
    ip('netns', 'delete', namesIn(world).namespace)
    await driver.apply(stateOf(world))
    assert.equal(await statusOf(world.address(80)), 200)
    await until(async () => isGone(again))
  })

  test('comes back after the machine has lost everything but the directory', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    await driver.close()
    const { namespace } = namesIn(world)
    for (const pid of ip('netns', 'pids', namespace).trim().split('\n')) process.kill(Number(pid), 'SIGKILL')
    ip('netns', 'delete', namespace)
    const again = await world.open()
    await until(async () => (await statusOf(world.address(80))) === 200)
    assert.deepEqual((await again.inventory())?.balancers, [1])
  })

  test('that hangs has no health and disturbs no other', async (t) => {
    const world = openWorld(t)
    await listen(t, world.target)
    const driver = await world.open()
    await driver.apply(stateOf(world))
    await driver.apply(stateOf(world, { id: 2, publicAddresses: [world.address(81)] }))
    await until(async () => (await healthIn(driver, 2)).join() === 'healthy')
    process.kill((await masterOf(world).processes()).master, 'SIGSTOP')
    await until(async () => (await driver.observe([1])).get(1)!.health.length === 0)
    const seen = await driver.observe([1, 2])
    assert.deepEqual(
      [1, 2].map((id) => seen.get(id)?.health.length),
      [0, 1],
    )
    await driver.apply(stateOf(world, { id: 2, generation: 2, publicAddresses: [world.address(82)] }))
    assert.equal(await statusOf(world.address(82)), 200)
  })
})

test('a machine without HAProxy is told so in one line', async () => {
  await assert.rejects(checkRequirements('/nowhere/haproxy'), /^Error: Load Balancers with HAProxy need [^\n]*$/)
})
