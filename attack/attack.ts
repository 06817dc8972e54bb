/** What an attack is: something hostile that is done to a real installation, and the promises that it must not break. */
import type { Workshop } from '../bench/processes.ts'
import type { EngineName } from '../test/harness.ts'
import { Installation, type InstallOptions } from './installation.ts'
import { Random } from './random.ts'

export interface Attack {
  readonly name: string
  readonly databases: readonly EngineName[]
  /** Attacks, and tells how each promise fared. Errors: throws when it could not be carried out at all. */
  run(context: Context): Promise<Finding[]>
}

/** How one promise fared. */
export interface Finding {
  readonly promise: string
  /**
   * A fact is counted and the same on every machine, so that tests can assert it; a measure is of time or memory and
   * depends on what else the machine does.
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

/** `figure` must not be more than `most`. */
export function atMost(promise: string, figure: number, unit: string, most: number): Finding {
  return { ...shape(promise, figure, unit), bar: `<= ${rounded(most)}`, held: figure <= most }
}

/** `figure` must not be less than `least`: that what was to be attacked was there, and met the attack. */
export function atLeast(promise: string, figure: number, unit: string, least: number): Finding {
  return { ...shape(promise, figure, unit), bar: `>= ${rounded(least)}`, held: figure >= least }
}

/** Things that must not happen, each described; the first ones are shown while the attack runs. */
export function none(promise: string, unit: string, happened: readonly string[], { log }: Context): Finding {
  for (const one of happened.slice(0, 5)) log(`${promise}: ${one}`)
  return { ...shape(promise, happened.length, unit), bar: '0', held: happened.length === 0 }
}

/** As few digits as tell the figure. */
export function rounded(figure: number): string {
  return String(Number(figure.toFixed(figure >= 100 ? 0 : figure >= 1 ? 1 : 2)))
}

export type Scale = 'short' | 'long'

/** What an attack is carried out with. */
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
    // An attack that is run alone does what it does in a run of all.
    this.random = new Random(`${parts.seed} ${parts.name} ${parts.database}`)
  }

  /** How much of something, by scale. */
  size(short: number, long: number): number {
    return this.scale === 'short' ? short : long
  }

  /** A fresh database and the tokens of its Projects; what serves it is started by the attack. */
  install(options: InstallOptions = {}): Promise<Installation> {
    return Installation.make(this.workshop, this.database, options)
  }
}
