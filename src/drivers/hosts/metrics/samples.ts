/**
 * The counters of one server over 30 days, in a file of fixed size: a ring of samples a minute apart for the last day, and
 * one of samples ten minutes apart. A slot holds what was counted until then, so that two processes that write the same
 * one do no harm.
 */
import { join } from 'node:path'
import { type Ring, RingFile } from '../../ring-file.ts'
import { type Counts, counters } from './exposition.ts'

const rings: readonly Ring[] = [
  { seconds: 60, slots: 1_440 },
  { seconds: 600, slots: 4_320 },
]

/** The time between two samples of a server, in seconds. */
export const sampleSeconds = rings[0]!.seconds

/** A sample: its time in seconds since the epoch, and what was counted until then. */
interface Sample {
  readonly at: number
  readonly counts: Counts
}

/** A slot is the time of a sample and its counts. */
const layout = { header: 0, width: counters.length + 1, rings }

export class Samples {
  readonly #file: RingFile

  /** The samples of a server below a directory, which exists. */
  constructor(directory: string, id: number) {
    this.#file = new RingFile(join(directory, `${id}.samples`), layout)
  }

  /** Keeps what was counted until a moment, in seconds since the epoch. Errors: of the file system. */
  record(at: number, counts: Counts): void {
    const sample = Float64Array.of(at, ...counts)
    this.#file.change((file) => {
      for (const ring of rings) file.write(ring, Math.floor(at / ring.seconds), sample)
    })
  }

  /**
   * Mean rates per second of a counter over the `step` seconds before each of some moments (seconds since the epoch).
   * Moments of which nothing was sampled are missing. Errors: of the file system.
   */
  rates(counter: number, moments: readonly number[], step: number): Map<number, number> {
    const rates = new Map<number, number>()
    const [first] = moments
    if (first === undefined) return rates
    const ring = ringFor(first - step, moments.at(-1)!)
    const samples = samplesIn(this.#file, ring)
    for (const moment of moments) {
      const rate = rateAt(samples, { counter, moment, step: Math.max(step, ring.seconds), slack: 2 * ring.seconds })
      if (rate !== undefined) rates.set(moment, rate)
    }
    return rates
  }
}

/** The finest ring that still has samples from a moment on. */
function ringFor(from: number, to: number): Ring {
  return rings.find(({ seconds, slots }) => to - from < seconds * (slots - 1)) ?? rings.at(-1)!
}

/** All samples of a ring, oldest first. */
function samplesIn(file: RingFile, ring: Ring): Sample[] {
  return file
    .slots(ring)
    .map(([at, ...counts]) => ({ at: at!, counts }))
    .sort((a, b) => a.at - b.at)
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
