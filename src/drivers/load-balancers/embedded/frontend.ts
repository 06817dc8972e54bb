/** What takes the connections of clients of one service. */
import type { Socket } from 'node:net'
import type { BalancerService, BalancerState } from '../../../families/load-balancers/driver.ts'

export interface Frontend {
  accept(socket: Socket): void
  /** Goes on with a changed service of the same protocol. Errors: those of certificates, before anything is changed. */
  update(state: BalancerState, service: BalancerService): void
  /** Takes no connections any more, and ends those that are idle. */
  drain(): void
}
