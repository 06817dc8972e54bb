/** Load Balancers as data planes are told of them, for tests: what a test does not care about has one value everywhere. */
import type { BalancerHttp, BalancerState, BalancerTarget } from '../../../src/families/load-balancers/driver.ts'

export const plainHttp: BalancerHttp = {
  cookieName: 'HCLBSTICKY',
  cookieLifetime: 300,
  isSticky: false,
  redirectsHttp: false,
  idleTimeout: 30,
  certificates: [],
}

/** One without anything. */
export const emptyState: BalancerState = {
  id: 1,
  location: 1,
  generation: 1,
  cookieSecret: 'a secret of the test',
  maxConnections: 1_000,
  algorithm: 'round_robin',
  publicAddresses: [],
  place: null,
  services: [],
  targets: [],
}

/** A target outside of the cloud. */
export const targetAt = (address: string): BalancerTarget => ({ address, server: null, network: null })
