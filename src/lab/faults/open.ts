/** The faults of one cloud, and where they strike. */
import type { Drivers } from '../../kernel/actions/define.ts'
import type { Interceptor } from '../../kernel/http/interceptor.ts'
import type { Faults as FaultPoints } from '../../kernel/process/faults.ts'
import type { Platform } from '../../platform.ts'
import { faultPointsOf } from './actions.ts'
import type { Offered } from './checks.ts'
import { Facts } from './facts.ts'
import { Patience } from './patience.ts'
import { interceptorOf } from './requests.ts'
import { type KeptRules, Rules } from './rules.ts'
import { type ServiceFaults, serviceFaultsOf } from './services.ts'

export interface FaultOptions {
  /** Decides what happens by chance. */
  readonly seed: string
  /** The rules of the state in which the cloud begins. */
  readonly kept: KeptRules
  /** Is called when actions that were held may go on. */
  readonly letGo: () => void
}

export interface Faults {
  readonly rules: Rules
  readonly interceptor: Interceptor
  /** Strikes actions. */
  readonly points: FaultPoints
  readonly services: ServiceFaults
  /** Lets go of everything that waits because of a fault. */
  end(): void
}

export function openFaults(platform: Platform, drivers: Drivers, { kept, ...options }: FaultOptions): Faults {
  const { clock, catalogue } = platform
  const rules = new Rules({ clock, offered: offeredBy(catalogue), ...options }, kept)
  const patience = new Patience()
  const facts = new Facts(platform, drivers)
  return {
    rules,
    interceptor: interceptorOf({ rules, facts, patience, clock }),
    points: faultPointsOf(rules, facts, platform.faults),
    services: serviceFaultsOf({ rules, facts, patience }),
    end: () => patience.end(),
  }
}

/** The names that rules may use, from a catalogue. */
export function offeredBy({ locations, server_types, load_balancer_types }: Platform['catalogue']): Offered {
  return {
    locations: new Set(locations.map(({ name }) => name)),
    serverTypes: new Set([...server_types, ...load_balancer_types].map(({ name }) => name)),
  }
}
