/**
 * The data planes, and the place where each is tested. The embedded one is in the network of the test, on addresses of
 * the loopback network that no other test has. The one of HAProxy lays routes to its balancers, so its tests run in a
 * network namespace that ends with them.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { openEmbedded } from '../../../src/drivers/load-balancers/embedded/embedded.ts'
import { openHaproxy, stopAll } from '../../../src/drivers/load-balancers/haproxy/haproxy.ts'
import type { LoadBalancerDriver } from '../../../src/families/load-balancers/driver.ts'
import { openLog } from '../../../src/kernel/process/log.ts'

const run = promisify(execFile)
const log = openLog('silent')

type Closing = LoadBalancerDriver & { close(): Promise<void> }

/** Where a plane is tested, and how it is opened. */
export interface Site {
  readonly name: 'embedded' | 'haproxy'
  readonly portOffset: number
  /** The first three bytes of addresses for balancers and for targets. */
  readonly balancerNet: string
  readonly targetNet: string
  /** An address that nothing leads to. */
  readonly unroutable: string
  /** An IPv6 address for a balancer. */
  balancerAddress6(number: number): string
  readonly targetAddress6: string
  prepare(): Promise<void>
  open(directory: string): Promise<Closing>
  /** Ends what outlives a driver. */
  end(directory: string): Promise<void>
}

/** The network of whoever runs it. */
export function embeddedSite(): Site {
  const net = `127.${randomInt(1, 255)}.${randomInt(256)}`
  const portOffset = randomInt(10_000, 20_000)
  return {
    name: 'embedded',
    portOffset,
    balancerNet: net,
    targetNet: net,
    // A TCP connection to a multicast address fails at once, as one without a route does.
    unroutable: '224.0.0.77',
    balancerAddress6: () => '::1',
    targetAddress6: '::1',
    prepare: async () => undefined,
    open: (directory) => openEmbedded({ directory, portOffset, log }),
    end: async () => undefined,
  }
}

/** The namespaces that this process has to be in already; they are set up when the plane opens. */
export function haproxySite(): Site {
  // Other namespaces have the addresses of their own tests, and who listens is looked up in all of them.
  const balancerNet = `10.${randomInt(256)}.${randomInt(256)}`
  return {
    name: 'haproxy',
    portOffset: 0,
    balancerNet,
    targetNet: '198.19.0',
    unroutable: '203.0.113.77',
    balancerAddress6: (number) => `fd00:18::${number.toString(16)}`,
    targetAddress6: 'fd00:19::1',
    async prepare() {
      // What is listed of interfaces and of namespaces is that of this test.
      mkdirSync('/run/netns', { recursive: true })
      for (const [type, at] of [
        ['sysfs', '/sys'],
        ['tmpfs', '/run/netns'],
      ] as const) {
        await run('mount', ['-t', type, type, at])
      }
      // Every packet that nothing leads on is answered, however many there are, also elsewhere on this machine.
      writeFileSync('/proc/sys/net/ipv4/icmp_ratelimit', '0')
      writeFileSync('/proc/sys/net/ipv4/icmp_ratemask', '0')
      const commands = [
        ['link', 'set', 'lo', 'up'],
        ['route', 'add', 'local', '198.19.0.0/24', 'dev', 'lo'],
        ['route', 'add', 'unreachable', '203.0.113.77'],
        ['address', 'add', 'fd00:19::1/128', 'dev', 'lo'],
      ]
      for (const args of commands) await run('ip', args)
    },
    open: (directory) => openHaproxy({ directory, log }),
    end: stopAll,
  }
}

/** A data plane under test. */
export class Plane {
  readonly site: Site
  #directory = ''
  #driver: Closing | undefined
  #hosts = 0

  constructor(site: Site) {
    this.site = site
  }

  get driver(): LoadBalancerDriver {
    assert.ok(this.#driver, 'the plane is open')
    return this.#driver
  }

  /** A number for a balancer, or the last byte of an address, that nobody else has. */
  next(): number {
    assert.ok(this.#hosts < 254, 'there are enough addresses')
    return ++this.#hosts
  }

  /** An address for a target. */
  targetAddress(): string {
    return `${this.site.targetNet}.${this.next()}`
  }

  async open(): Promise<void> {
    this.#directory = mkdtempSync(join(tmpdir(), 'wolke-plane-'))
    await this.site.prepare()
    this.#driver = await this.site.open(this.#directory)
  }

  /** What a restart of the API server is to the plane. */
  async reopen(): Promise<void> {
    await this.#driver?.close()
    this.#driver = await this.site.open(this.#directory)
  }

  /** Another driver over the same plane, as another process of the installation has one. */
  async another(t: TestContext): Promise<LoadBalancerDriver> {
    const driver = await this.site.open(this.#directory)
    t.after(() => driver.close())
    return driver
  }

  async close(): Promise<void> {
    await this.#driver?.close()
    await this.site.end(this.#directory)
    rmSync(this.#directory, { recursive: true, force: true })
  }
}

/** Runs what follows in the namespaces that `haproxySite` needs, which end with it. */
export const inNamespace = ['unshare', '--net', '--mount'] as const

/** What is missing for balancers in network namespaces, if anything. */
export async function missing(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'balancers of HAProxy need root'
  const programs = [
    ['haproxy', '-v'],
    ['ip', '-V'],
    ['unshare', '--version'],
  ] as const
  for (const [program, version] of programs) {
    const isThere = await run(program, [version]).then(
      () => true,
      () => false,
    )
    if (!isThere) return `${program} is not installed`
  }
}
