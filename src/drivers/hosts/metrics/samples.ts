/**
 * The counters of one server over 30 days, in a file of fixed size: a ring of samples a minute apart for the last day, and
 * one of samples ten minutes apart. A slot holds what was counted until then, so that two processes that write the same
 * one do no harm.
 */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type Counts, counters } from './exposition.ts'

interface Tier {
  /** The time that a slot stands for, in seconds. */
  readonly seconds: number
  readonly slots: number
}

const tiers: readonly Tier[] = [
  { seconds: 60, slots: 1_440 },
  { seconds: 600, slots: 4_320 },
]

/** The time between two samples of a server, in seconds. */
export const sampleSeconds = tiers[0]!.seconds

/** A sample: its time in seconds since the epoch, and what was counted until then. */
interface Sample {
  readonly at: number
  readonly counts: Counts
}

const numbersInSlot = counters.length + 1
const slotBytes = numbersInSlot * 8

export class Samples {
  readonly #path: string

  /** The samples of a server below a directory, which exists. */
  constructor(directory: string, id: number) {
    this.#path = join(directory, `${id}.samples`)
  }

  /** Keeps what was counted until a moment, in seconds since the epoch. Errors: of the file system. */
  record(at: number, counts: Counts): void {
    const slot = Float64Array.of(at, ...counts)
    const file = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      for (const tier of tiers) writeSync(file, slot, 0, slotBytes, positionOf(tier, at))
    } finally {
      closeSync(file)
    }
  }

  /**
   * Mean rates per second of a counter over the `step` seconds before each of some moments (seconds since the epoch).
   * Moments of which nothing was sampled are missing. Errors: of the file system.
   */
  rates(counter: number, moments: readonly number[], step: number): Map<number, number> {
    const rates = new Map<number, number>()
    const [first] = moments
    if (first === undefined) return rates
    const file = openIfThere(this.#path)
    if (file === undefined) return rates
    try {
      const tier = tierFor(first - step, moments.at(-1)!)
      const samples = readTier(file, tier)
      for (const moment of moments) {
        const rate = rateAt(samples, { counter, moment, step: Math.max(step, tier.seconds), slack: 2 * tier.seconds })
        if (rate !== undefined) rates.set(moment, rate)
      }
      return rates
    } finally {
      closeSync(file)
    }
  }
}

/** The finest tier that still has samples from a moment on. */
function tierFor(from: number, to: number): Tier {
  return tiers.find(({ seconds, slots }) => to - from < seconds * (slots - 1)) ?? tiers.at(-1)!
}

interface Asked {
  readonly counter: number
  readonly moment: number
  readonly step: number
  /** A sample may be so much older than asked, in seconds. */
  readonly slack: number
}

/** The rate between the last sample of a span and the last one before it, or else the first one within. */
function rateAt(samples: readonly Sample[], { counter, moment, step, slack }: Asked): number | undefined {
  const last = samples[indexUntil(samples, moment)]
  if (!last || last.at <= moment - step - slack) return undefined
  const before = indexUntil(samples, Math.min(moment - step, last.at - 1))
  const isNear = before >= 0 && samples[before]!.at > moment - step - slack
  const first = samples[isNear ? before : before + 1]!
  if (first.at >= last.at) return undefined
  return growth(first.counts[counter]!, last.counts[counter]!) / (last.at - first.at)
}

/** A counter that shrank began anew with a restart. */
const growth = (first: number, last: number) => (last < first ? last : last - first)

/** The index of the last sample until a moment; -1 when there is none. Samples are sorted by time. */
function indexUntil(samples: readonly Sample[], moment: number): number {
  let [low, high] = [0, samples.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (samples[middle]!.at <= moment) low = middle + 1
    else high = middle
  }
  return low - 1
}

// ---- The file: one ring after the other ------------------------------------------------------------------------------

function positionOf(tier: Tier, at: number): number {
  const before = tiers.slice(0, tiers.indexOf(tier)).reduce((slots, one) => slots + one.slots, 0)
  return (before + (Math.floor(at / tier.seconds) % tier.slots)) * slotBytes
}

/** All samples of a tier, oldest first. */
function readTier(file: number, tier: Tier): Sample[] {
  const numbers = new Float64Array(tier.slots * numbersInSlot)
  readSync(file, numbers, { position: positionOf(tier, 0) })
  const samples: Sample[] = []
  for (let at = 0; at < numbers.length; at += numbersInSlot) {
    const [time, ...counts] = numbers.subarray(at, at + numbersInSlot)
    if (time! > 0) samples.push({ at: time!, counts })
  }
  return samples.sort((a, b) => a.at - b.at)
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
