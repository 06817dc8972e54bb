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

/** A state of a part is kept by these. */
export interface Keeping<State> {
  fresh(): State
  copy(known: State): State
  /** Takes out of it what there is of some resources. */
  forget(known: State, ids: Ids): void
  /** Writes it as a JSON value. */
  save(known: State): unknown
  /** Reads what `save` has written. Errors: `TypeError` for anything else. */
  load(saved: unknown): State
}

/** Parts have these outside of memory, by names that they add by declaration merging. It goes with the infrastructure. */
// biome-ignore lint/suspicious/noEmptyInterface: parts add to it
export interface Beside {}

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
   * know in nothing else can be copied. No other state has the name.
   */
  keep<State>(name: string, how: Keeping<State>): State
  /** Parts find here what they have outside of memory. */
  readonly beside: Partial<Beside>
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
  /** Calls as `driver.method` whose failure fails no action. */
  readonly harmless?: readonly string[]
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
  /** Calls as `driver.method` whose failure fails no action. */
  readonly harmless: ReadonlySet<string>
  /** All calls so far, oldest first; recording begins with the first call of this method. */
  record(): readonly Call[]
  /** Sets how calls behave from now on. */
  behave(behave: Behave): void
  /** Returns another infrastructure that begins as this one is now. */
  copy(options: SimulationOptions): Simulation<Make>
  /** Writes all that there is as a JSON value. */
  save(): Saved
  /** Returns another infrastructure that begins with what was saved. Errors: `TypeError` for anything else. */
  load(options: SimulationOptions, saved: Saved): Simulation<Make>
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
  readonly beside?: Partial<Beside> | undefined
}

/** Everything that was saved, by the names of states. */
export type Saved = Readonly<Record<string, unknown>>

/** A state of some part. */
interface Kept {
  copy(): unknown
  forget(ids: Ids): void
  save(): unknown
}

/** Begins a state as another one was; undefined for a state that begins empty. */
type Begin = <State>(name: string, how: Keeping<State>) => State | undefined

const everything: Ids = { has: () => true }

/** Creates an empty world from the given parts, with the drivers that act on it. */
export function createSimulation<Make extends MakePart>(
  makes: readonly Make[],
  options: SimulationOptions,
): Simulation<Make> {
  return simulationOf(makes, options, () => undefined)
}

function simulationOf<Make extends MakePart>(
  makes: readonly Make[],
  { delayMs, slowMs = 500, clock = runningClock(), beside = {} }: SimulationOptions,
  begin: Begin,
): Simulation<Make> {
  const kept = new Map<string, Kept>()
  const forgotten = new Set<number>()
  let isOver = false
  const parts = new Map<(site: Site) => unknown, unknown>()
  let behave: Behave = () => undefined
  let calls: Call[] | undefined
  const site: Site = {
    clock,
    beside,
    async perform(call, effect) {
      calls?.push(call)
      if (delayMs > 0) await delay(delayMs)
      const behaviour = behave(call) ?? 'ok'
      if (behaviour === 'slow') await delay(slowMs)
      await happen(behaviour, (share) => {
        if (!isOver && !forgotten.has(call.subject)) effect(share)
      })
    },
    keep(name, how) {
      if (kept.has(name)) throw new Error(`two parts keep ${name}`)
      const state = begin(name, how) ?? how.fresh()
      const { copy, forget, save } = how
      kept.set(name, { copy: () => copy(state), forget: (ids) => forget(state, ids), save: () => save(state) })
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
    harmless: new Set(made.flatMap(({ harmless = [] }) => harmless)),
    record() {
      calls ??= []
      return calls
    },
    behave(next) {
      behave = next
    },
    copy: (options) => simulationOf(makes, options, (name) => kept.get(name)?.copy() as never),
    save: () => Object.fromEntries([...kept].map(([name, state]) => [name, state.save()])),
    load: (options, saved) =>
      simulationOf(makes, options, (name, { load }) => (Object.hasOwn(saved, name) ? load(saved[name]) : undefined)),
    forget(ids) {
      for (const id of ids) forgotten.add(id)
      for (const state of kept.values()) state.forget(ids)
    },
    end() {
      isOver = true
      for (const one of Object.values<{ end(): void }>(beside)) one.end()
      for (const state of kept.values()) state.forget(everything)
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

/** A table of a part, by the ids of resources. What is in it is never changed, but replaced; it has a form in JSON. */
export function keptMap<Key extends number, Value>(site: Pick<Site, 'keep'>, name: string): Map<Key, Value> {
  return site.keep<Map<Key, Value>>(name, {
    fresh: () => new Map(),
    copy: (known) => new Map(known),
    forget: forgetKeys,
    save: (known) => [...known],
    load: (saved) => new Map(pairsIn<Key, Value>(saved)),
  })
}

/** Takes some resources out of a table or a set. */
export function forgetKeys(known: Map<number, unknown> | Set<number>, ids: Ids): void {
  for (const id of known.keys()) if (ids.has(id)) known.delete(id)
}

/** Reads the entries of a table by ids. Errors: `TypeError`. */
export function pairsIn<Key extends number, Value>(saved: unknown): [Key, Value][] {
  const isPair = (one: unknown) => Array.isArray(one) && one.length === 2 && Number.isSafeInteger(one[0])
  if (Array.isArray(saved) && saved.every(isPair)) return saved
  throw new TypeError('not a table by ids')
}

/** The newest generation seen of each resource, including removed ones. */
export class Generations {
  readonly #newest: Map<number, number>

  /** `of` names whose generations they are. */
  constructor(site: Pick<Site, 'keep'>, of: string) {
    this.#newest = keptMap(site, `${of}.generations`)
  }

  newest(id: number): number | undefined {
    return this.#newest.get(id)
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
