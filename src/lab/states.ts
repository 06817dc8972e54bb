/**
 * States of clouds: what one is at a moment, and what another one can begin with. A state that is restored takes the place
 * of the cloud that there is, whole or not at all.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'
import type { Drivers } from '../kernel/actions/define.ts'
import { wolkeBase } from '../kernel/contract/bases.ts'
import { limitExceeded, notFound } from '../kernel/errors.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { ClockMode } from './clock.ts'
import type { KeptRules } from './faults/rules.ts'
import { Forks, type ForksOptions, type OpenedFork } from './forks.ts'

/** An infrastructure in memory, of which there can be another one that begins as this one is. */
export interface Copied {
  readonly drivers: Drivers
  copy(clock: Clock): Copied
  /** Loses all that there is of some resources, by their ids; nothing that is still asked about them has an effect. */
  forget(ids: ReadonlySet<number>): void
  /** Loses everything. */
  end(): void
  /** Writes all that there is as a JSON value, by names. */
  save(): Readonly<Record<string, unknown>>
  /** Returns another one that begins with what was saved. Errors: `TypeError` for anything else. */
  load(clock: Clock, saved: Readonly<Record<string, unknown>>): Copied
}

export interface State {
  /** The database, as the bytes of a file. */
  readonly image: Uint8Array
  /** Nobody uses it but to copy it. */
  readonly infrastructure: Copied
  /** The time of the clock. */
  readonly nowMs: number
  readonly mode: ClockMode
  /** The rules that inject faults. */
  readonly faults: KeptRules
}

/** A cloud whose state can be taken, and replaced by another one. */
export interface Stateful {
  state(): Promise<State>
  /** Errors: those of `choose`; the cloud goes on as it ended then. */
  change(choose: (ended: State) => Promise<State>): Promise<void>
}

interface StatesOptions extends Pick<ForksOptions, 'log'> {
  /** Opens a fork. */
  open(state: State): Promise<OpenedFork>
  /** The state to which a reset leads, if it is not that at `begin`. */
  readonly first?: State | undefined
}

/** A state that was kept under a name. */
export interface Snapshot {
  readonly name: string
  /** The time of the clock in it, in milliseconds since the epoch. */
  readonly nowMs: number
  readonly bytes: number
}

const mostSnapshots = 100

/** Tells which requests change the cloud, so that the change does not wait for them. */
export function isChange({ method, url = '' }: IncomingMessage): boolean {
  return method === 'POST' && changing.test(decoded(url))
}

/** Routes are found by what a path means, however it is written. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    // Such a path leads nowhere.
    return url
  }
}

const changing = new RegExp(`^${wolkeBase}/(reset|snapshots/[^/?]+/restore)(\\?|$)`)

/** The states of a cloud, in the hands of testers. */
export class States {
  readonly forks: Forks
  readonly #of: Stateful
  readonly #snapshots = new Map<string, State>()
  /** The state in which the cloud began. */
  #first: State | undefined
  #changing: Promise<unknown> = Promise.resolve()
  /** Work in a cloud belongs to nobody's request, not even to that which let it begin. */
  readonly #outside = AsyncLocalStorage.snapshot()

  constructor(of: Stateful, { open, log, first }: StatesOptions) {
    this.#of = of
    this.#first = first
    this.forks = new Forks({ open: () => this.#outside(async () => open(await of.state())), log })
  }

  get first(): State | undefined {
    return this.#first
  }

  /** Keeps the state in which the cloud begins. */
  async begin(): Promise<void> {
    this.#first ??= await this.#of.state()
  }

  /** Ends the forks. */
  close(): Promise<void> {
    return this.forks.close()
  }

  /** Puts everything back as it was when the server had started. */
  reset(): Promise<void> {
    return this.#change(async () => this.#first!)
  }

  list(): readonly Snapshot[] {
    return [...this.#snapshots].map(([name, state]) => snapshotOf(name, state))
  }

  /** Keeps the present state under a name, instead of one that had it. Errors: `resource_limit_exceeded`. */
  async save(name: string): Promise<Snapshot> {
    this.#checkNumber(name)
    return this.keep(name, await this.#of.state())
  }

  /** Keeps a state in the same way. Errors: `resource_limit_exceeded`. */
  keep(name: string, state: State): Snapshot {
    this.#checkNumber(name)
    this.#snapshots.set(name, state)
    return snapshotOf(name, state)
  }

  /** Errors: `not_found`. */
  async restore(name: string): Promise<void> {
    const state = this.get(name)
    await this.#change(async () => state)
  }

  /** Errors: `not_found`. */
  remove(name: string): void {
    this.get(name)
    this.#snapshots.delete(name)
  }

  #checkNumber(name: string): void {
    if (this.#snapshots.size >= mostSnapshots && !this.#snapshots.has(name))
      throw limitExceeded('snapshot_limit', `a cloud cannot have more than ${mostSnapshots} snapshots`)
  }

  /** Errors: `not_found`. */
  get(name: string): State {
    const state = this.#snapshots.get(name)
    if (!state) throw notFound('snapshot', name)
    return state
  }

  /** One change comes after the other. */
  #change(choose: (ended: State) => Promise<State>): Promise<void> {
    const changed = this.#changing.then(() => this.#outside(() => this.#of.change(choose)))
    this.#changing = changed.catch(() => undefined)
    return changed
  }
}

function snapshotOf(name: string, { nowMs, image }: State): Snapshot {
  return { name, nowMs, bytes: image.length }
}
