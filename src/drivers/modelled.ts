/** Tells what would happen to a packet between servers on hosts, without sending one. */
import { simulate } from '../families.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { ReachabilityDriver } from '../reachability/driver.ts'

/** Answers out of a simulation of the servers concerned, which is made for each question. */
export function modelled(clock: Clock): ReachabilityDriver {
  return {
    async trace(packet, tell) {
      const { drivers } = simulate({ delayMs: 0, clock })
      await tell(drivers)
      return drivers.reachability.trace(packet, tell)
    },
  }
}
