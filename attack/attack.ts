/** The definition of an attack on a real installation: hostile actions, and the promises that must hold. */
import type { Workshop } from '../bench/processes.ts'
import type { EngineName } from '../test/kit/harness.ts'
import { Installation, type InstallOptions } from './installation.ts'
import { Random } from './random.ts'

export interface Attack {
  readonly name: string
  readonly databases: readonly EngineName[]
  /** Runs the attack and returns a finding for each promise. Throws when the attack could not be carried out. */
  run(context: Context): Promise<Finding[]>
}

/** The outcome of one promise. */
export interface Finding {
  readonly promise: string
  /**
   * A fact is a count that is the same on every machine, so that tests can assert it; a measure is a time or an amount
   * of memory that depends on the load of the machine.
   */
  readonly kind: 'fact' | 'measure'
  readonly figure: number
  readonly unit: string
  readonly bar: string
  readonly held: boolean
}

type Shape = Pick<Finding, 'promise' | 'figure' | 'unit' | 'kind'>

const isMeasure = /^(ms|s|MB)$/

function shape(promise: string, figure: number, unit: string): Shape {
  return { promise, figure, unit, kind: isMeasure.test(unit) ? 'measure' : 'fact' }
}

/** A finding that holds when `figure` is at most `most`. */
export function atMost(promise: string, figure: number, unit: string, most: number): Finding {
  return { ...shape(promise, figure, unit), bar: `<= ${rounded(most)}`, held: figure <= most }
}

/** A finding that holds when `figure` is at least `least`: it proves that the attack really took place. */
export function atLeast(promise: string, figure: number, unit: string, least: number): Finding {
  return { ...shape(promise, figure, unit), bar: `>= ${rounded(least)}`, held: figure >= least }
}

/** A finding that holds when nothing happened; logs the first descriptions while the attack runs. */
export function none(promise: string, unit: string, happened: readonly string[], { log }: Context): Finding {
  for (const one of happened.slice(0, 5)) log(`${promise}: ${one}`)
  return { ...shape(promise, happened.length, unit), bar: '0', held: happened.length === 0 }
}

/** Formats a number with few digits. */
export function rounded(figure: number): string {
  return String(Number(figure.toFixed(figure >= 100 ? 0 : figure >= 1 ? 1 : 2)))
}

export type Scale = 'short' | 'long'

/** The environment of an attack. */
export class Context {
  readonly database: EngineName
  readonly scale: Scale
  readonly random: Random
  readonly workshop: Workshop
  readonly log: (line: string) => void

  constructor(parts: Pick<Context, 'database' | 'scale' | 'workshop' | 'log'> & { seed: number; name: string }) {
    this.database = parts.database
    this.scale = parts.scale
    this.workshop = parts.workshop
    this.log = parts.log
    // The seed depends on the attack, so that an attack alone does the same as within a run of all.
    this.random = new Random(`${parts.seed} ${parts.name} ${parts.database}`)
  }

  /** The size of something at the scale of this run. */
  size(short: number, long: number): number {
    return this.scale === 'short' ? short : long
  }

  /** Creates a fresh database with Projects and tokens; the attack starts the servers itself. */
  install(options: InstallOptions = {}): Promise<Installation> {
    return Installation.make(this.workshop, this.database, options)
  }
}
