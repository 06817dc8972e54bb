/** What takes the connections of clients of one service. */
import type { Socket } from 'node:net'
import type { BalancerService } from '../../../families/load-balancers/driver.ts'

export interface Frontend {
  accept(socket: Socket): void
  /**
   * Makes what may fail for a changed service of the same protocol, and returns what goes on with it, which does not.
   * Errors: those of certificates; nothing is changed then.
   */
  prepare(service: BalancerService): () => void
  /** Takes no connections any more, and ends those that are idle. */
  drain(): void
}
