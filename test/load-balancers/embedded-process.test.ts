import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type EmbeddedDriver, openEmbedded } from '../../src/drivers/load-balancers/embedded/embedded.ts'
import { placeIn } from '../../src/drivers/load-balancers/embedded/process/launch.ts'
import { Link } from '../../src/drivers/load-balancers/embedded/process/link.ts'
import type { BalancerState } from '../../src/families/load-balancers/driver.ts'
import { until } from '../kit/database/bare-database.ts'
import { freePort } from '../kit/ports.ts'
import { plainHttp, targetAt } from '../kit/samples/balancer-states.ts'
import { selfSigned } from '../kit/samples/certificates.ts'
import { isLong } from '../run/long.ts'
import { converse, listenHttp, ownAddress, portOf, serviceTo, stateOf } from '../stubs/embedded-balancer.ts'

const address = ownAddress()
const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

const linuxOnly = { skip: process.platform !== 'linux' && 'processes are looked up in /proc' }

describe('the process of the embedded data plane', () => {
  let directory: string
  let target: Server
  let port: number
  const open: EmbeddedDriver[] = []

  before(async () => {
    target = await listenHttp(address, (_, response) => response.end('fine'))
    port = await freePort(address)
  })
  after(() => {
    target.close()
    target.closeAllConnections()
  })
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
  })
  afterEach(async () => {
    for (const driver of open.splice(0)) await driver.close()
    rmSync(directory, { recursive: true })
  })

  async function openDriver(options: { portOffset?: number } = {}): Promise<EmbeddedDriver> {
    const driver = await openEmbedded({ directory, portOffset: 0, log, ...options })
    open.push(driver)
    return driver
  }

  function state(changes: Partial<BalancerState> = {}): BalancerState {
    const services = [serviceTo(portOf(target), { listenPort: port })]
    return stateOf(address, { services, targets: [targetAt(address)], ...changes })
  }

  const ask = (at = port) => converse(address, at, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  const answers = async (at = port) => (await ask(at)).includes(' 200 ')
  /** The process that answers, found by what holds its socket. */
  const pidOf = () => {
    const place = placeIn(directory)
    const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    return Number(running.find((pid) => commandOf(pid).includes(place.socket)))
  }
  const isGone = () => !existsSync(placeIn(directory).socket)

  test('is not started before there is a balancer', async () => {
    const driver = await openDriver()
    assert.deepEqual((await driver.inventory())?.balancers, [])
    assert.equal((await driver.observe([1])).size, 0)
    assert.equal((await driver.measure(1, 'bandwidth.in', [1], 1)).size, 0)
    await driver.remove(1, 1)
    assert.equal(
      await Link.open(placeIn(directory).socket, { report: () => undefined, lost: () => undefined }),
      undefined,
    )
  })

  test('is one for all clients, and ends with the last goodbye', async () => {
    const [first, second] = [await openDriver(), await openDriver()]
    await Promise.all([first.apply(state()), second.apply(state({ id: 2, services: [] }))])
    assert.deepEqual(await first.inventory(), await second.inventory())
    assert.deepEqual((await first.inventory())?.balancers.toSorted(), [1, 2])
    await first.close()
    assert.ok(await answers())
    await second.close()
    assert.equal(await ask(), '')
    assert.ok(isGone())
  })

  test('is one for all clients that start it at the same moment', async () => {
    const drivers = await Promise.all(Array.from({ length: 6 }, () => openDriver()))
    const ids = drivers.map((_, at) => at + 1)
    await Promise.all(drivers.map((driver, at) => driver.apply(state({ id: at + 1, services: [] }))))
    for (const driver of drivers) assert.deepEqual((await driver.inventory())?.balancers.toSorted(), ids)
  })

  test('ignores what is older than what it has', async () => {
    const driver = await openDriver()
    await driver.apply(state({ generation: 5 }))
    await driver.apply(state({ generation: 4, services: [] }))
    assert.ok(await answers())
    await driver.remove(1, 4)
    assert.equal((await driver.observe([1])).get(1)?.generation, 5)
    await driver.remove(1, 6)
    await driver.remove(1, 6)
    assert.equal(await ask(), '')
    await driver.apply(state({ generation: 6 }))
    assert.deepEqual((await driver.inventory())?.balancers, [])
    await driver.apply(state({ generation: 7 }))
    assert.ok(await answers())
  })

  test('has no key, no secret and nothing for others on the disk', async () => {
    const { certificate: chain, private_key: privateKey } = selfSigned('www.example.com')
    const http = { ...plainHttp, certificates: [{ id: 1, chain, privateKey }] }
    const driver = await openDriver()
    await driver.apply(state({ services: [serviceTo(portOf(target), { listenPort: port, protocol: 'https', http })] }))
    await driver.observe([1])
    const files = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name))
    for (const file of files.filter((name) => statSync(name).isFile())) {
      assert.equal(statSync(file).mode & 0o077, 0, file)
      const content = readFileSync(file, 'latin1')
      assert.ok(!content.includes('PRIVATE KEY') && !content.includes('a secret of the test'), file)
    }
    assert.ok(files.length > 1)
  })

  test('refuses a certificate that is none, and keeps what it had', async () => {
    const driver = await openDriver()
    await driver.apply(state())
    const http = { ...plainHttp, certificates: [{ id: 1, chain: 'none', privateKey: 'none' }] }
    const services = [serviceTo(portOf(target), { listenPort: port, protocol: 'https' as const, http })]
    await assert.rejects(driver.apply(state({ generation: 2, services })))
    assert.ok(await answers())
    assert.equal((await driver.observe([1])).get(1)?.generation, 1)
  })

  test('goes without the addresses and ports that it cannot listen on', async () => {
    const warnings: object[] = []
    const driver = await openEmbedded({
      directory,
      portOffset: 60_000,
      log: { ...log, warn: (fields) => void warnings.push(fields), info: (fields) => void warnings.push(fields) },
    })
    open.push(driver)
    const services = [serviceTo(portOf(target), { listenPort: 1 }), serviceTo(portOf(target), { listenPort: 9_999 })]
    await driver.apply(state({ services, publicAddresses: ['198.51.100.77', address] }))
    assert.ok(await answers(60_001))
    await until(() => warnings.length === 3)
    assert.deepEqual(new Set(warnings.map((fields) => (fields as { port: number }).port)), new Set([60_001, 69_999]))
  })

  test('takes a port as soon as somebody else gives it up', async () => {
    const other = await listenHttp(address, (_, response) => response.end('other'))
    const driver = await openDriver()
    await driver.apply(state({ services: [serviceTo(portOf(target), { listenPort: portOf(other) })] }))
    assert.match(await ask(portOf(other)), /other/)
    const taken = portOf(other)
    other.close()
    await until(async () => (await ask(taken)).includes('fine'))
  })

  test('works for clients with one port offset at a time', async () => {
    const before = await openDriver()
    await before.apply(state())
    const later = await openDriver({ portOffset: 1 })
    await assert.rejects(later.apply(state()), /another port offset/)
    assert.ok(await answers())
    await before.close()
    await later.apply(state())
    assert.ok(await answers(port + 1))
  })

  test('has its socket elsewhere when the path of its folder is too long for one', async () => {
    const deep = join(directory, 'a'.repeat(100))
    const driver = await openEmbedded({ directory: deep, portOffset: 0, log })
    await driver.apply(state())
    assert.ok(await answers())
    await driver.close()
    assert.ok(!existsSync(placeIn(deep).socket))
    rmSync(join(placeIn(deep).socket, '..'), { recursive: true })
  })

  test('ends when its folder is removed', linuxOnly, async () => {
    const driver = await openDriver()
    await driver.apply(state())
    const pid = pidOf()
    rmSync(placeIn(directory).socket)
    await until(() => commandOf(String(pid)) === '')
  })

  describe('when it is killed', linuxOnly, () => {
    test('is replaced by one that has everything, of another epoch', async () => {
      const driver = await openDriver()
      const other = await freePort(address)
      await driver.apply(state())
      await driver.apply(state({ id: 2, services: [serviceTo(portOf(target), { listenPort: other })] }))
      const before = await driver.inventory()
      process.kill(pidOf(), 'SIGKILL')
      await until(async () => (await answers()) && (await answers(other)))
      const later = await driver.inventory()
      assert.notEqual(later?.epoch, before?.epoch)
      assert.deepEqual(later?.balancers.toSorted(), [1, 2])
    })

    test('answers a call that was under way', async () => {
      const driver = await openDriver()
      await driver.apply(state())
      const applied = driver.apply(state({ generation: 2 }))
      process.kill(pidOf(), 'SIGKILL')
      await applied
      assert.equal((await driver.observe([1])).get(1)?.generation, 2)
    })

    test('is replaced by one for both of two clients', async () => {
      const [first, second] = [await openDriver(), await openDriver()]
      await first.apply(state())
      await second.apply(state({ id: 2, services: [] }))
      process.kill(pidOf(), 'SIGKILL')
      await until(async () => {
        const [one, other] = await Promise.all([first.inventory(), second.inventory()])
        return one?.epoch === other?.epoch && one?.balancers.length === 2
      })
      assert.ok(await answers())
    })
  })

  describe('when it hangs', linuxOnly, () => {
    const hanging: number[] = []
    /** Stops the process, which then does nothing but take connections. */
    function hang(): number {
      const pid = pidOf()
      process.kill(pid, 'SIGSTOP')
      hanging.push(pid)
      return pid
    }
    afterEach(() => {
      for (const pid of hanging.splice(0)) if (commandOf(String(pid)) !== '') process.kill(pid, 'SIGKILL')
    })
    const isReplaced = async (pid: number) => commandOf(String(pid)) === '' && (await answers()) && pidOf() !== pid
    /** Lets the clients of this process count the seconds of its silence, until they have had enough. */
    const isLeftSilent = (t: TestContext, pid: number) =>
      until(() => {
        t.mock.timers.tick(1_000)
        return commandOf(String(pid)) === ''
      })

    test('is replaced by one that has everything, and calls that wait for it are answered', async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      const driver = await openDriver()
      await driver.apply(state())
      await driver.apply(state({ id: 2, services: [] }))
      const pid = hang()
      const waiting = Array.from({ length: 50 }, () => driver.observe([1]))
      const applied = driver.apply(state({ generation: 2 }))
      await isLeftSilent(t, pid)
      await applied
      await Promise.all(waiting)
      assert.ok(await isReplaced(pid))
      assert.deepEqual((await driver.inventory())?.balancers.toSorted(), [1, 2])
      assert.equal((await driver.observe([1])).get(1)?.generation, 2)
    })

    test('is replaced for a client that comes later, which hands everything over', async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      await applyAndDie()
      const pid = hang()
      const driver = await openDriver()
      const applied = driver.apply(state({ generation: 2 }))
      await isLeftSilent(t, pid)
      await applied
      assert.ok(await isReplaced(pid))
    })
  })

  test('is left alone when it is slow', linuxOnly, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    const driver = await openDriver()
    await driver.apply(state())
    const pid = pidOf()
    process.kill(pid, 'SIGSTOP')
    const applied = driver.apply(state({ generation: 2 }))
    await setImmediate()
    t.mock.timers.tick(9_000)
    process.kill(pid, 'SIGCONT')
    await applied
    assert.equal(pidOf(), pid)
  })

  test('leaves no sockets of those before it behind', linuxOnly, async () => {
    const driver = await openDriver()
    await driver.apply(state())
    const before = readdirSync(directory).length
    const pid = pidOf()
    process.kill(pid, 'SIGKILL')
    await until(async () => (await answers()) && pidOf() !== pid)
    assert.equal(readdirSync(directory).length, before)
  })

  /** Lets another process hand a balancer over and kills it. Returns the id of the process that carries its traffic. */
  async function applyAndDie(): Promise<number> {
    const script = [
      `import { openEmbedded } from ${JSON.stringify(new URL('../../src/drivers/load-balancers/embedded/embedded.ts', import.meta.url).href)}`,
      'const log = { info() {}, warn() {}, error() {} }',
      `const driver = await openEmbedded({ directory: ${JSON.stringify(directory)}, portOffset: 0, log })`,
      `await driver.apply(${JSON.stringify(state())})`,
      "console.log('applied')",
    ]
    const args = ['--input-type=module-typescript', '--eval', script.join('\n')]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const pid = pidOf()
    child.kill('SIGKILL')
    await once(child, 'close')
    return pid
  }

  test('goes on for a client that was killed and comes back', linuxOnly, async () => {
    const pid = await applyAndDie()
    assert.ok(await answers())
    const driver = await openDriver()
    assert.deepEqual((await driver.inventory())?.balancers, [1])
    assert.equal(pidOf(), pid)
  })

  test('ends by itself when its last client was killed and nobody comes back', linuxOnly, async () => {
    const pid = await applyAndDie()
    const killedAt = performance.now()
    await until(() => commandOf(String(pid)) === '')
    const seconds = (performance.now() - killedAt) / 1_000
    // How soon this is holds on a machine that has nothing else to do, where the long form runs.
    assert.ok(!isLong || (seconds > 5 && seconds < 10), `${seconds} s`)
    assert.ok(isGone())
  })

  test('keeps connections while states change', async () => {
    const driver = await openDriver()
    await driver.apply(state())
    const socket = connect(port, address)
    let received = ''
    socket.setEncoding('latin1').on('data', (text) => {
      received += text
    })
    const turns = () => received.split('fine').length - 1
    for (let generation = 2; generation < 6; generation++) {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      await until(() => turns() === generation - 1)
      await driver.apply(state({ generation, algorithm: generation % 2 ? 'round_robin' : 'least_connections' }))
    }
    assert.ok(!socket.destroyed)
    socket.destroy()
  })
})

/** The command line of a process; empty when there is none. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
