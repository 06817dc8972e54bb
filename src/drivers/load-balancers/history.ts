/**
 * What was measured of one Load Balancer, in a file of fixed size: three rings of sums, finer ones for the recent past.
 * A balancer without traffic costs no writes and next to no memory.
 */
import { closeSync, constants, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BalancerSeries } from '../../families/load-balancers/driver.ts'

/** What happened since the last record. */
export interface Sample {
  /** How many are open now. */
  readonly openConnections: number
  readonly connections: number
  readonly requests: number
  /** Bytes from clients. */
  readonly ingoing: number
  /** Bytes to clients. */
  readonly outgoing: number
}

/** How often a balancer should be sampled, in seconds. */
export const sampleSeconds = 10
/** A record covers no more than this, in seconds: before it, nothing ran that could have had traffic. */
const longestSample = 60

/** How long a bucket of a ring is, in seconds, and how many there are. */
const tiers = [
  { seconds: 10, buckets: 720 },
  { seconds: 60, buckets: 1_440 },
  { seconds: 600, buckets: 4_320 },
] as const
type Tier = (typeof tiers)[number]

/** Positions of the sums in a bucket, after its number. Open connections are summed over seconds. */
const columns: Readonly<Record<BalancerSeries, number>> = {
  open_connections: 1,
  connections_per_second: 2,
  requests_per_second: 3,
  'bandwidth.in': 4,
  'bandwidth.out': 5,
}
const bucketLength = 6
const bucketBytes = bucketLength * 8

/** Fields of the header, all numbers. `through` is when the last record with traffic was made. */
interface Header {
  readonly first: number
  readonly through: number
  readonly month: number
  readonly ingoing: number
  readonly outgoing: number
}
/** Changes with the layout: a file of another layout is begun anew. */
const layout = 0x574c_4201
const headerBytes = 48

interface Span {
  readonly from: number
  readonly to: number
}

export class TrafficHistory {
  readonly #path: string
  /** Undefined before the first record. */
  #header: Header | undefined

  /** Continues the history of a balancer in a directory, which is created when it is missing. Errors: of the file system. */
  constructor(directory: string, id: number) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#path = join(directory, `${id}.history`)
    this.#header = readHeader(this.#path)
  }

  /** Adds what happened since the last record, `atS` seconds after the epoch. Errors: of the file system. */
  record(atS: number, sample: Sample): void {
    const before = this.#header
    const isConnected = before && atS > before.through && atS - before.through <= longestSample
    const span = { from: isConnected ? before.through : atS - sampleSeconds, to: atS }
    const month = monthOf(atS * 1_000)
    const isSameMonth = before?.month === month
    this.#header = {
      first: Math.min(before?.first ?? span.from, span.from),
      through: atS,
      month,
      ingoing: (isSameMonth ? before.ingoing : 0) + sample.ingoing,
      outgoing: (isSameMonth ? before.outgoing : 0) + sample.outgoing,
    }
    if (!before || hasTraffic(sample)) this.#write(span, sample)
  }

  #write(span: Span, sample: Sample): void {
    const file = openToWrite(this.#path)
    try {
      for (const tier of tiers) addToTier(file, tier, span, sample)
      writeHeader(file, this.#header!)
    } finally {
      closeSync(file)
    }
  }

  /**
   * Means of a series over the `step` seconds before each of some moments (seconds since the epoch): rates per second, or
   * open connections. Moments before the first record and after the last one are missing. Errors: of the file system.
   */
  measure(series: BalancerSeries, moments: readonly number[], step: number): Map<number, number> {
    const means = new Map<number, number>()
    const header = this.#header
    if (!header) return means
    const read = new Map<Tier, Map<number, number>>()
    const sumsOf = (tier: Tier) => {
      const sums = read.get(tier) ?? readSums(this.#path, tier, columns[series])
      read.set(tier, sums)
      return sums
    }
    const known = { from: header.first, to: header.through }
    for (const moment of moments) {
      const span = overlap({ from: moment - step, to: moment }, known)
      if (moment > known.to || span.to <= span.from) continue
      const tier = tierFor(span.from, known.to)
      means.set(moment, sumOver(span, { tier, sums: sumsOf(tier), known }) / (span.to - span.from))
    }
    return means
  }

  /** Bytes since the month of `nowMs` began (UTC). */
  traffic(nowMs: number): { ingoing: number; outgoing: number } {
    const header = this.#header
    if (header?.month !== monthOf(nowMs)) return { ingoing: 0, outgoing: 0 }
    return { ingoing: header.ingoing, outgoing: header.outgoing }
  }

  /** Forgets everything. Errors: of the file system. */
  remove(): void {
    this.#header = undefined
    rmSync(this.#path, { force: true })
  }
}

/** The history of a balancer below the directory of a data plane. Errors: of the file system. */
export function historyOf(directory: string, id: number): TrafficHistory {
  return new TrafficHistory(join(directory, 'history'), id)
}

const hasTraffic = ({ openConnections, connections, requests, ingoing, outgoing }: Sample) =>
  openConnections + connections + requests + ingoing + outgoing > 0

/** A number for each month (UTC). */
function monthOf(ms: number): number {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function overlap(a: Span, b: Span): Span {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) }
}

/** The finest tier that still has all since a moment. */
function tierFor(from: number, now: number): Tier {
  const reaches = ({ seconds, buckets }: Tier) => Math.floor(now / seconds) - Math.floor(from / seconds) < buckets
  return tiers.find(reaches) ?? tiers[2]
}

const bucketSpan = (number: number, { seconds }: Tier): Span => ({
  from: number * seconds,
  to: (number + 1) * seconds,
})

/** The buckets that a span touches, but no more than the ring has: the last ones. */
function bucketsOf({ from, to }: Span, { seconds, buckets }: Tier): number[] {
  const last = Math.ceil(to / seconds) - 1
  const first = Math.max(Math.floor(from / seconds), last - buckets + 1)
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index)
}

interface TierSums {
  readonly tier: Tier
  readonly sums: ReadonlyMap<number, number>
  /** What has been recorded; the first and the last bucket may be filled in part. */
  readonly known: Span
}

/** What was summed up over a span. A bucket that is missing had no traffic. */
function sumOver(span: Span, { tier, sums, known }: TierSums): number {
  let total = 0
  for (const number of bucketsOf(span, tier)) {
    const filled = overlap(bucketSpan(number, tier), known)
    const part = overlap(filled, span)
    if (part.to > part.from) total += ((sums.get(number) ?? 0) * (part.to - part.from)) / (filled.to - filled.from)
  }
  return total
}

// ---- The file: a header, then the rings ------------------------------------------------------------------------------

function offsetOf(tier: Tier): number {
  const before = tiers.slice(0, tiers.indexOf(tier))
  return before.reduce((bytes, { buckets }) => bytes + buckets * bucketBytes, headerBytes)
}

/** Adds a sample to the buckets that it covers, in proportion. A bucket that has another number is begun anew. */
function addToTier(file: number, tier: Tier, span: Span, sample: Sample): void {
  for (const number of bucketsOf(span, tier)) {
    const part = overlap(bucketSpan(number, tier), span)
    const seconds = part.to - part.from
    const share = seconds / (span.to - span.from)
    const bucket = new Float64Array(bucketLength)
    const position = offsetOf(tier) + (number % tier.buckets) * bucketBytes
    const isRead = readSync(file, bucket, { position }) === bucketBytes
    if (!isRead || bucket[0] !== number) bucket.fill(0)
    bucket[0] = number
    bucket[1]! += sample.openConnections * seconds
    bucket[2]! += sample.connections * share
    bucket[3]! += sample.requests * share
    bucket[4]! += sample.ingoing * share
    bucket[5]! += sample.outgoing * share
    writeSync(file, bucket, 0, bucketBytes, position)
  }
}

/** One of the sums of all buckets of a ring, by their numbers. */
function readSums(path: string, tier: Tier, column: number): Map<number, number> {
  const buckets = readNumbers(path, offsetOf(tier), tier.buckets * bucketLength)
  const sums = new Map<number, number>()
  for (let at = 0; at < buckets.length; at += bucketLength) sums.set(buckets[at]!, buckets[at + column]!)
  return sums
}

function readHeader(path: string): Header | undefined {
  const [version, first, through, month, ingoing, outgoing] = readNumbers(path, 0, headerBytes / 8)
  if (version !== layout) {
    rmSync(path, { force: true })
    return undefined
  }
  return { first: first!, through: through!, month: month!, ingoing: ingoing!, outgoing: outgoing! }
}

function writeHeader(file: number, { first, through, month, ingoing, outgoing }: Header): void {
  writeSync(file, new Float64Array([layout, first, through, month, ingoing, outgoing]), 0, headerBytes, 0)
}

/** Numbers from a position on, zeros where the file has none. */
function readNumbers(path: string, position: number, length: number): Float64Array {
  const numbers = new Float64Array(length)
  const file = openIfThere(path)
  if (file === undefined) return numbers
  try {
    readSync(file, numbers, { position })
    return numbers
  } finally {
    closeSync(file)
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Opens a file to read and to change, and creates it when it is missing. */
function openToWrite(path: string): number {
  return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
}
