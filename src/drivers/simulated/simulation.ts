/**
 * What all simulated drivers share. Together they are an infrastructure in memory that keeps what it was told, refuses
 * what is older than what it has, and can be made slow, unreliable or dead at any call, so that tests can compare it with
 * the database afterwards. It is lost with its process, and each process has its own: a driver makes what is missing from
 * what a call says about it. Each family brings its part; the parts are listed in families.ts.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../kernel/actions/define.ts'
import { type Clock, runningClock } from '../../kernel/process/clock.ts'

/** How one call goes. `timeout` means that the caller hears of no result, whether or not there was an effect. */
export const behaviours = [
  'ok',
  'error before effect',
  'error after effect',
  'timeout not applied',
  'timeout applied',
  'partial',
  'slow',
  'never returns',
] as const
export type Behaviour = (typeof behaviours)[number]

export interface Call {
  /** The driver by the name that it has in `Drivers`. */
  readonly driver: string
  readonly method: string
  /** The id of the resource that the call is about, by which tests choose how it goes. */
  readonly subject: number
}

/** Chooses the behaviour of a call; undefined means ok. */
export type Behave = (call: Call) => Behaviour | undefined

/** How much of its effect a call has. */
export type Share = 'all' | 'half'

/** Where the simulated drivers are. */
export interface Site {
  /** Dates what is made. */
  readonly clock: Clock
  /** Performs a call the way it was ordered to; `effect` is called with how much of it happens, unless nothing does. */
  perform(call: Call, effect: (share: Share) => void): Promise<void>
  /** The part of another family on the same site, for a driver that acts on what that one has. */
  part<P>(make: (site: Site) => P): P
}

/** What a family has on a site. */
export interface SimulatedPart {
  /** By the names that they have in `Drivers`. */
  readonly drivers: object
  /** What exists out there, for tests to look at. */
  readonly world: object
  /** Calls that go well whatever tests order, as `driver.method`. */
  readonly certain?: readonly string[]
}

export type MakePart = (site: Site) => SimulatedPart

type Union<Make extends MakePart, Key extends 'drivers' | 'world'> = Make extends MakePart
  ? ReturnType<Make>[Key]
  : never
/** The object that has the members of every object of a union. */
type Merged<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never

export interface Simulation<Make extends MakePart = MakePart> {
  readonly drivers: Merged<Union<Make, 'drivers'>>
  /** Collections of what exists out there. */
  readonly world: Merged<Union<Make, 'world'>>
  /** Calls that go well whatever tests order, as `driver.method`. */
  readonly certain: ReadonlySet<string>
  /** Every call so far, oldest first; kept only once a test has asked for it. */
  record(): readonly Call[]
  /** Sets how calls go from now on. */
  behave(behave: Behave): void
}

export interface SimulationOptions {
  /** Milliseconds that each call takes. */
  readonly delayMs: number
  /** Milliseconds that a slow call takes on top. */
  readonly slowMs?: number
  readonly clock?: Clock
}

/** Makes an empty world of the given parts and the drivers that reach it. */
export function createSimulation<Make extends MakePart>(
  makes: readonly Make[],
  { delayMs, slowMs = 500, clock = runningClock() }: SimulationOptions,
): Simulation<Make> {
  const parts = new Map<(site: Site) => unknown, unknown>()
  let behave: Behave = () => undefined
  let calls: Call[] | undefined
  const site: Site = {
    clock,
    async perform(call, effect) {
      calls?.push(call)
      if (delayMs > 0) await delay(delayMs)
      const behaviour = behave(call) ?? 'ok'
      if (behaviour === 'slow') await delay(slowMs)
      await happen(behaviour, effect)
    },
    part<P>(make: (site: Site) => P): P {
      if (!parts.has(make)) parts.set(make, make(site))
      return parts.get(make) as P
    },
  }
  const made: SimulatedPart[] = makes.map((make) => site.part(make))
  return {
    drivers: Object.assign({}, ...made.map(({ drivers }) => drivers)),
    world: Object.assign({}, ...made.map(({ world }) => world)),
    certain: new Set(made.flatMap(({ certain = [] }) => certain)),
    record() {
      calls ??= []
      return calls
    },
    behave(next) {
      behave = next
    },
  }
}

async function happen(behaviour: Behaviour, effect: (share: Share) => void): Promise<void> {
  if (behaviour === 'never returns') await new Promise(() => undefined)
  if (behaviour === 'partial') effect('half')
  else if (!behaviour.endsWith('before effect') && behaviour !== 'timeout not applied') effect('all')
  if (behaviour.startsWith('error')) throw new DriverError('the infrastructure refused', { transient: false })
  if (behaviour.startsWith('timeout') || behaviour === 'partial') {
    throw new DriverError('the infrastructure did not answer in time', { transient: true })
  }
}

/** The newest generation seen of each resource, also of those that are gone. */
export class Generations {
  readonly #newest = new Map<number, number>()

  isStale(id: number, generation: number): boolean {
    return generation < (this.#newest.get(id) ?? 0)
  }

  /** Whether a state is to be put in force. What was removed stays removed until a newer generation wants it anew. */
  admits(id: number, generation: number, isPresent: boolean): boolean {
    return !this.isStale(id, generation) && (isPresent || this.#newest.get(id) !== generation)
  }

  /** Remembers a generation as the newest. */
  see(id: number, generation: number): void {
    this.#newest.set(id, generation)
  }
}
