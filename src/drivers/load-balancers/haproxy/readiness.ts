/** What of a state HAProxy can begin with, and what it means when it does not begin. */
import type { BalancerService, BalancerState } from '../../../families/load-balancers/driver.ts'
import { DriverError } from '../../../kernel/actions/define.ts'

/** How long states of targets stay true when nothing is checked, in seconds. */
const longestFresh = 15

/** HAProxy does not take what it was handed, and goes on with what it had. */
export class Refusal extends DriverError {}

/** A configuration that HAProxy does not understand stays so; addresses that are in use may become free. */
export function toRefusal(faults: string): Refusal {
  const transient = !faults.includes('parsing [')
  return new Refusal(`HAProxy does not start: ${faults || 'it does not say why'}`, { transient })
}

/** A state without the services that lack something: a managed certificate may not be issued yet. */
export function withoutUnready(state: BalancerState): BalancerState {
  return { ...state, services: state.services.filter(isReady) }
}

const isReady = ({ protocol, http }: BalancerService) => protocol !== 'https' || (http?.certificates.length ?? 0) > 0

/** For how long the state of targets stays true after a crash, in seconds. */
export function freshSecondsOf(services: readonly BalancerService[]): number {
  return Math.min(longestFresh, ...services.map(({ healthCheck }) => healthCheck.interval))
}
