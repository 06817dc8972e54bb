/** What tests of Load Balancers with HAProxy have in common: whether it can run here, addresses of their own, and states. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { openHaproxy, stopAll } from '../../src/drivers/load-balancers/haproxy/haproxy.ts'
import { checkRequirements } from '../../src/drivers/load-balancers/haproxy/requirements.ts'
import type { BalancerService, BalancerState } from '../../src/families/load-balancers/driver.ts'
import { emptyState, plainHttp } from '../kit/samples/balancer-states.ts'

/** Why tests are skipped here; false where they run. They run in CI in any case. */
export const skipsHaproxy: string | false = process.env.CI
  ? false
  : await checkRequirements('haproxy').then(
      () => false as const,
      (error: Error) => error.message,
    )

export const httpService: BalancerService = {
  protocol: 'http',
  listenPort: 80,
  destinationPort: 8080,
  usesProxyProtocol: false,
  http: plainHttp,
  healthCheck: {
    protocol: 'http',
    port: 8080,
    interval: 3,
    timeout: 2,
    retries: 2,
    http: { domain: '', path: '/', response: '', statusCodes: ['2??', '3??'], usesTls: false },
  },
}

export const plainState: BalancerState = { ...emptyState, services: [httpService] }

type Driver = Awaited<ReturnType<typeof openHaproxy>>

/** A directory of balancers, and addresses of this machine that no other test has. */
export interface World {
  readonly directory: string
  /** A target may listen there. */
  readonly target: string
  /** A free address for a balancer. */
  address(host: number): string
  open(): Promise<Driver>
  /** Warnings of the drivers. */
  readonly warnings: string[]
}

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'pipe', 'pipe'] }).toString()

/** Makes a world that is gone after the test, with all drivers and balancers in it. */
export function openWorld(t: TestContext): World {
  const directory = mkdtempSync('/tmp/wolke-lb-')
  const network = takeNetwork()
  const drivers: Driver[] = []
  const warnings: string[] = []
  t.after(async () => {
    for (const driver of drivers) await driver.close()
    await stopAll(directory)
    rmSync(directory, { recursive: true, force: true })
    ip('address', 'delete', `${network}.1/32`, 'dev', 'lo')
  })
  return {
    directory,
    warnings,
    target: `${network}.1`,
    address: (host) => `${network}.${host}`,
    async open() {
      const log = { warn: (_: object, message: string) => void warnings.push(message) }
      const driver = await openHaproxy({ directory, log })
      drivers.push(driver)
      return driver
    },
  }
}

/** A network for benchmarks of devices (RFC 2544) that nobody else has: who adds its first address, owns it. */
function takeNetwork(): string {
  for (;;) {
    const network = `198.${18 + Math.floor(Math.random() * 2)}.${Math.floor(Math.random() * 256)}`
    try {
      ip('address', 'add', `${network}.1/32`, 'dev', 'lo')
      return network
    } catch (error) {
      if (!/File exists|already assigned/.test(String((error as { stderr?: Buffer }).stderr))) throw error
    }
  }
}
