/**
 * What was measured of one Load Balancer, in a file of fixed size: three rings of sums, finer ones for the recent past.
 * A balancer without traffic costs no writes and next to no memory.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BalancerSeries } from '../../families/load-balancers/driver.ts'
import { type OpenRings, type Ring, RingFile } from '../ring-file.ts'

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

const rings: readonly Ring[] = [
  { seconds: 10, slots: 720 },
  { seconds: 60, slots: 1_440 },
  { seconds: 600, slots: 4_320 },
]

/** Positions of the sums in a slot, after its number. Open connections are summed over seconds. */
const columns: Readonly<Record<BalancerSeries, number>> = {
  open_connections: 1,
  connections_per_second: 2,
  requests_per_second: 3,
  'bandwidth.in': 4,
  'bandwidth.out': 5,
}
/** Fields of the header, all numbers. `through` is when the last record with traffic was made. */
interface Header {
  readonly first: number
  readonly through: number
  readonly month: number
  readonly ingoing: number
  readonly outgoing: number
}
const layout = { header: 6, width: 6, rings }
/** The first number of the header changes with the layout: a file of another layout is begun anew. */
const version = 0x574c_4201

interface Span {
  readonly from: number
  readonly to: number
}

export class TrafficHistory {
  readonly #path: string
  readonly #file: RingFile
  /** Undefined before the first record. */
  #header: Header | undefined

  /** Continues the history of a balancer in a directory, which is created when it is missing. Errors: of the file system. */
  constructor(directory: string, id: number) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#path = join(directory, `${id}.history`)
    this.#file = new RingFile(this.#path, layout)
    this.#header = readHeader(this.#file)
    if (!this.#header) rmSync(this.#path, { force: true })
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
    const { first, through, month, ingoing, outgoing } = this.#header!
    this.#file.change((file) => {
      for (const ring of rings) addTo(file, ring, span, sample)
      file.writeHeader(Float64Array.of(version, first, through, month, ingoing, outgoing))
    })
  }

  /**
   * Means of a series over the `step` seconds before each of some moments (seconds since the epoch): rates per second, or
   * open connections. Moments before the first record and after the last one are missing. Errors: of the file system.
   */
  measure(series: BalancerSeries, moments: readonly number[], step: number): Map<number, number> {
    const means = new Map<number, number>()
    const header = this.#header
    if (!header) return means
    const read = new Map<Ring, Map<number, number>>()
    const sumsOf = (ring: Ring) => {
      const sums = read.get(ring) ?? sumsIn(this.#file, ring, columns[series])
      read.set(ring, sums)
      return sums
    }
    const known = { from: header.first, to: header.through }
    for (const moment of moments) {
      const span = overlap({ from: moment - step, to: moment }, known)
      if (moment > known.to || span.to <= span.from) continue
      const ring = ringFor(span.from, known.to)
      means.set(moment, sumOver(span, { ring, sums: sumsOf(ring), known }) / (span.to - span.from))
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

/** The finest ring that still has all since a moment. */
function ringFor(from: number, now: number): Ring {
  const reaches = ({ seconds, slots }: Ring) => Math.floor(now / seconds) - Math.floor(from / seconds) < slots
  return rings.find(reaches) ?? rings.at(-1)!
}

const slotSpan = (number: number, { seconds }: Ring): Span => ({
  from: number * seconds,
  to: (number + 1) * seconds,
})

/** The slots that a span touches, but no more than the ring has: the last ones. */
function slotsOf({ from, to }: Span, { seconds, slots }: Ring): number[] {
  const last = Math.ceil(to / seconds) - 1
  const first = Math.max(Math.floor(from / seconds), last - slots + 1)
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, index) => first + index)
}

interface RingSums {
  readonly ring: Ring
  readonly sums: ReadonlyMap<number, number>
  /** The span that has been recorded; its first and its last slot may be filled in part. */
  readonly known: Span
}

/** Adds up what happened over a span. A slot that is missing had no traffic. */
function sumOver(span: Span, { ring, sums, known }: RingSums): number {
  let total = 0
  for (const number of slotsOf(span, ring)) {
    const filled = overlap(slotSpan(number, ring), known)
    const part = overlap(filled, span)
    if (part.to > part.from) total += ((sums.get(number) ?? 0) * (part.to - part.from)) / (filled.to - filled.from)
  }
  return total
}

// ---- The file ------------------------------------------------------------------------------------------------------

/** Adds a sample to the slots that it covers, in proportion. A slot that has another number is begun anew. */
function addTo(file: OpenRings, ring: Ring, span: Span, sample: Sample): void {
  for (const number of slotsOf(span, ring)) {
    const part = overlap(slotSpan(number, ring), span)
    const seconds = part.to - part.from
    const share = seconds / (span.to - span.from)
    const slot = file.read(ring, number)
    if (slot[0] !== number) slot.fill(0)
    slot[0] = number
    slot[1]! += sample.openConnections * seconds
    slot[2]! += sample.connections * share
    slot[3]! += sample.requests * share
    slot[4]! += sample.ingoing * share
    slot[5]! += sample.outgoing * share
    file.write(ring, number, slot)
  }
}

/** One of the sums of all slots of a ring, by their numbers. */
const sumsIn = (file: RingFile, ring: Ring, column: number) =>
  new Map(file.slots(ring).map((slot) => [slot[0]!, slot[column]!]))

function readHeader(file: RingFile): Header | undefined {
  const [known, first, through, month, ingoing, outgoing] = file.header()
  if (known !== version) return undefined
  return { first: first!, through: through!, month: month!, ingoing: ingoing!, outgoing: outgoing! }
}
