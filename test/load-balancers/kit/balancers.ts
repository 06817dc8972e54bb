/** Load Balancers for tests: states with defaults, and what is asked of the plane about them. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type {
  BalancerCertificate,
  BalancerHealthCheck,
  BalancerHttp,
  BalancerService,
  BalancerState,
  Health,
  Observation,
} from '../../../src/families/load-balancers/driver.ts'
import { until } from '../../kit/database/bare-database.ts'
import { emptyState, plainHttp } from '../../kit/samples/balancer-states.ts'
import { selfSigned } from '../../kit/samples/certificates.ts'
import { persist } from '../../kit/samples/transient.ts'
import type { Plane } from './planes.ts'

/** The port that targets serve on unless a test says otherwise. */
export const targetPort = 8080

/** A check by TCP, every second, that a busy machine does not fail. */
export function check(more: Partial<BalancerHealthCheck> = {}): BalancerHealthCheck {
  return { protocol: 'tcp', port: targetPort, interval: 1, timeout: 10, retries: 5, http: null, ...more }
}

/** A check by HTTP, every second. */
export function httpCheck(
  more: Partial<BalancerHealthCheck> = {},
  http: Partial<NonNullable<BalancerHealthCheck['http']>> = {},
): BalancerHealthCheck {
  const all = { domain: '', path: '/', response: '', statusCodes: ['2??', '3??'], usesTls: false, ...http }
  return check({ protocol: 'http', http: all, ...more })
}

export function tcpService(listenPort: number, more: Partial<BalancerService> = {}): BalancerService {
  return {
    protocol: 'tcp',
    listenPort,
    destinationPort: targetPort,
    usesProxyProtocol: false,
    http: null,
    healthCheck: check(),
    ...more,
  }
}

/** A service of HTTP, or of HTTPS if it has certificates. */
export function httpService(
  listenPort: number,
  http: Partial<BalancerHttp> = {},
  more: Partial<BalancerService> = {},
): BalancerService {
  const all = { ...plainHttp, idleTimeout: 50, ...http }
  return tcpService(listenPort, { protocol: all.certificates.length > 0 ? 'https' : 'http', http: all, ...more })
}

let certificates = 0

/** A certificate that is its own authority. */
export function certificate(...domains: string[]): BalancerCertificate {
  const { certificate: chain, private_key: privateKey } = selfSigned(...domains)
  return { id: ++certificates, chain, privateKey }
}

type Wanted = Partial<Omit<BalancerState, 'id' | 'generation'>>

/** A balancer of a plane. It is removed when its test ends. */
export class Balancer {
  readonly plane: Plane
  state: BalancerState

  private constructor(plane: Plane, state: BalancerState) {
    this.plane = plane
    this.state = state
  }

  /** Makes a balancer, by default with one address and nothing else. */
  static async make(t: TestContext, plane: Plane, wanted: Wanted): Promise<Balancer> {
    const id = plane.next()
    const balancer = new Balancer(plane, {
      ...emptyState,
      id,
      cookieSecret: `secret of ${id}`,
      publicAddresses: [`${plane.site.balancerNet}.${id}`],
      ...wanted,
    })
    t.after(() => balancer.remove())
    await balancer.#apply()
    return balancer
  }

  /** Makes a balancer, and waits until all its targets are healthy. */
  static async ready(t: TestContext, plane: Plane, wanted: Wanted): Promise<Balancer> {
    const balancer = await Balancer.make(t, plane, wanted)
    await balancer.untilHealthy()
    return balancer
  }

  get id(): number {
    return this.state.id
  }

  async change(wanted: Wanted): Promise<void> {
    this.state = { ...this.state, ...wanted, generation: this.state.generation + 1 }
    await this.#apply()
  }

  #apply(): Promise<void> {
    return persist(() => this.plane.driver.apply(this.state))
  }

  remove(): Promise<void> {
    this.state = { ...this.state, generation: this.state.generation + 1 }
    return this.plane.driver.remove(this.id, this.state.generation)
  }

  /** Where clients find a service. */
  at(listenPort: number, host = this.state.publicAddresses[0]!): { readonly host: string; readonly port: number } {
    return { host, port: listenPort + this.plane.site.portOffset }
  }

  async observe(): Promise<Observation> {
    const seen = (await this.plane.driver.observe([this.id])).get(this.id)
    assert.ok(seen, 'the plane has the balancer')
    return seen
  }

  async health(address: string, listenPort = this.state.services[0]!.listenPort): Promise<Health> {
    const { health } = await this.observe()
    const one = health.find((each) => each.address === address && each.listenPort === listenPort)
    return one?.health ?? { status: 'unknown' }
  }

  async untilStatus(address: string, status: Health['status']): Promise<void> {
    await until(async () => (await this.health(address)).status === status, `${address} is ${status}`)
  }

  untilHealthy(): Promise<void> {
    return this.#untilAll(({ status }) => status === 'healthy')
  }

  /** Waits until it is known of all targets how they are and why: HAProxy tells no reason while it checks again. */
  untilKnown(): Promise<void> {
    return this.#untilAll((health) =>
      health.status === 'unhealthy' ? health.detail !== 'unspecified' : health.status !== 'unknown',
    )
  }

  async #untilAll(isThis: (health: Health) => boolean): Promise<void> {
    const count = this.state.services.length * this.state.targets.length
    const seen = async () => (await this.observe()).health.filter(({ health }) => isThis(health))
    await until(async () => (await seen()).length === count, `so it is of ${count} targets: ${isThis}`)
  }
}
