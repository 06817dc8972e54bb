/**
 * The base of all simulated drivers. Together they are an infrastructure in memory that refuses stale generations and
 * can be made slow, unreliable or unresponsive at any call; tests compare it with the database afterwards. Each process
 * has its own, which ends with the process, so a driver creates missing objects from the content of a call. Each family
 * contributes a part; the parts are listed in families.ts.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { DriverError } from '../../kernel/actions/define.ts'
import { type Clock, runningClock } from '../../kernel/process/clock.ts'

/** How one call behaves. `timeout` means that the caller gets no result, whether or not the call had an effect. */
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
  /** The driver's name in `Drivers`. */
  readonly driver: string
  readonly method: string
  /** The id of the resource that the call concerns; tests choose behaviours by it. */
  readonly subject: number
}

/** Chooses the behaviour of a call; undefined means `ok`. */
export type Behave = (call: Call) => Behaviour | undefined

/** How much of its effect a call has. */
export type Share = 'all' | 'half'

/** Resources by their ids, which no other resource ever has. */
export type Ids = Pick<ReadonlySet<number>, 'has'>

/** The environment of the simulated drivers. */
export interface Site {
  /** The clock for timestamps of created objects. */
  readonly clock: Clock
  /**
   * Performs a call with its chosen behaviour; calls `effect` with the share that takes effect, unless nothing does.
   */
  perform(call: Call, effect: (share: Share) => void): Promise<void>
  /**
   * Returns a state of the part, which a copy of the infrastructure begins with as it is then. Parts that keep what they
   * know in nothing else can be copied. `forget` takes out of it what there is of some resources.
   */
  keep<State>(fresh: State, copy: (known: State) => State, forget: (known: State, ids: Ids) => void): State
  /** Returns another family's part of the same site, for drivers that act on its objects. */
  part<P>(make: (site: Site) => P): P
}

/** A family's part of a site. */
export interface SimulatedPart {
  /** Drivers by their names in `Drivers`. */
  readonly drivers: object
  /** The simulated objects, for tests to inspect. */
  readonly world: object
  /** Calls as `driver.method` that always succeed, whatever behaviour tests choose. */
  readonly certain?: readonly string[]
  /** Calls as `driver.method` that requests make, and no action. */
  readonly direct?: readonly string[]
}

export type MakePart = (site: Site) => SimulatedPart

type Union<Make extends MakePart, Key extends 'drivers' | 'world'> = Make extends MakePart
  ? ReturnType<Make>[Key]
  : never
/** The intersection of all members of a union. */
type Merged<T> = (T extends unknown ? (one: T) => void : never) extends (all: infer All) => void ? All : never

export interface Simulation<Make extends MakePart = MakePart> {
  readonly drivers: Merged<Union<Make, 'drivers'>>
  /** The simulated objects of all parts. */
  readonly world: Merged<Union<Make, 'world'>>
  /** Calls as `driver.method` that always succeed, whatever behaviour tests choose. */
  readonly certain: ReadonlySet<string>
  /** Calls as `driver.method` that requests make, and no action. */
  readonly direct: ReadonlySet<string>
  /** All calls so far, oldest first; recording begins with the first call of this method. */
  record(): readonly Call[]
  /** Sets how calls behave from now on. */
  behave(behave: Behave): void
  /** Returns another infrastructure that begins as this one is now. */
  copy(options: SimulationOptions): Simulation<Make>
  /** Loses all that there is of some resources; calls about them have no effect any more, not even those under way. */
  forget(ids: ReadonlySet<number>): void
  /** Loses everything. */
  end(): void
}

export interface SimulationOptions {
  /** Milliseconds that each call takes. */
  readonly delayMs: number
  /** Additional milliseconds of a slow call. */
  readonly slowMs?: number
  readonly clock?: Clock
}

/** A state of some part. */
interface Kept {
  copy(): unknown
  forget(ids: Ids): void
}

const everything: Ids = { has: () => true }

/** Creates an empty world from the given parts, with the drivers that act on it. */
export function createSimulation<Make extends MakePart>(
  makes: readonly Make[],
  options: SimulationOptions,
): Simulation<Make> {
  return simulationOf(makes, options, [])
}

/** Parts keep their states in the same order each time, which tells which state of `known` is whose. */
function simulationOf<Make extends MakePart>(
  makes: readonly Make[],
  { delayMs, slowMs = 500, clock = runningClock() }: SimulationOptions,
  known: readonly Kept[],
): Simulation<Make> {
  const kept: Kept[] = []
  const forgotten = new Set<number>()
  let isOver = false
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
      await happen(behaviour, (share) => {
        if (!isOver && !forgotten.has(call.subject)) effect(share)
      })
    },
    keep(fresh, copy, forget) {
      const state = (known[kept.length]?.copy() as typeof fresh | undefined) ?? fresh
      kept.push({ copy: () => copy(state), forget: (ids) => forget(state, ids) })
      return state
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
    direct: new Set(made.flatMap(({ direct = [] }) => direct)),
    record() {
      calls ??= []
      return calls
    },
    behave(next) {
      behave = next
    },
    copy: (options) => simulationOf(makes, options, kept),
    forget(ids) {
      for (const id of ids) forgotten.add(id)
      for (const state of kept) state.forget(ids)
    },
    end() {
      isOver = true
      for (const state of kept) state.forget(everything)
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

/** A table of a part, by the ids of resources. What is in it is never changed, but replaced. */
export function keptMap<Key extends number, Value>(site: Pick<Site, 'keep'>): Map<Key, Value> {
  return site.keep(
    new Map<Key, Value>(),
    (known) => new Map(known),
    (known, ids) => {
      for (const id of known.keys()) if (ids.has(id)) known.delete(id)
    },
  )
}

/** The newest generation seen of each resource, including removed ones. */
export class Generations {
  readonly #newest: Map<number, number>

  constructor(site: Pick<Site, 'keep'>) {
    this.#newest = keptMap(site)
  }

  isStale(id: number, generation: number): boolean {
    return generation < (this.#newest.get(id) ?? 0)
  }

  /** Whether it is newer than all that were seen. */
  isNewer(id: number, generation: number): boolean {
    return generation > (this.#newest.get(id) ?? -1)
  }

  /** Whether to apply a state. A removed resource stays removed until a newer generation creates it again. */
  admits(id: number, generation: number, isPresent: boolean): boolean {
    return !this.isStale(id, generation) && (isPresent || this.#newest.get(id) !== generation)
  }

  /** Records a generation as the newest. */
  see(id: number, generation: number): void {
    this.#newest.set(id, generation)
  }
}
