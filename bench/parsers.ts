/**
 * Measures every parser of what tenants and strangers send on the worst input there is for it: the longest piece of work
 * between two turns of others, and how its cost grows with its input.
 */
import { parsers } from './parser-table.ts'
import type { Workshop } from './processes.ts'
import type { Row } from './report.ts'

const longestPieceMs = 5
/** Cost of an input over that of one of half its size: linear is 2, quadratic 4. */
const mostGrowth = 3
/** Below this, a cost is too small to tell how it grows. */
const leastMs = 2
/** A slow run may have been interrupted, so it is measured again: the least of its times counts. */
const attempts = 30

interface Cost {
  /** The time of all pieces, and of the longest one, in milliseconds. */
  readonly totalMs: number
  readonly pieceMs: number
}

export async function parserCosts(_workshop: Workshop): Promise<Row[]> {
  return Object.keys(parsers).map(measure)
}

function measure(name: string): Row {
  const { most, inputs } = parsers[name]!
  let worst: { cost: Cost; input: string } | undefined
  let [growth, growing] = [0, '']
  for (const [input, make] of inputs()) {
    const cost = costOf(make(most))
    if (!worst || cost.pieceMs > worst.cost.pieceMs) worst = { cost, input }
    const found = cost.totalMs < leastMs ? 0 : growthOf(make, most)
    if (found > growth) [growth, growing] = [found, input]
  }
  const { cost, input } = worst!
  const met = cost.pieceMs < longestPieceMs && growth < mostGrowth
  return {
    name,
    unit: 'ms',
    wolke: cost.pieceMs,
    ...(growth > 0 ? { ratio: growth } : {}),
    bar: { text: `a piece < ${longestPieceMs} ms, growth < ${mostGrowth}`, met },
    note: JSON.stringify(growth >= mostGrowth ? growing : input),
  }
}

/** Compares the cost of an input with one of half its size, by the least that each piece took in some measurements. */
function growthOf(make: (size: number) => () => unknown, most: number): number {
  const [whole, half] = [make(most), make(most / 2)]
  let [ofWhole, ofHalf] = [run(whole), run(half)]
  const growth = () => sumOf(ofWhole) / sumOf(ofHalf)
  for (let attempt = 1; attempt < attempts && growth() >= mostGrowth; attempt++) {
    ofWhole = least(ofWhole, run(whole))
    ofHalf = least(ofHalf, run(half))
  }
  return sumOf(ofWhole) < leastMs ? 0 : growth()
}

/** Takes the quickest run of each piece. */
const least = (pieces: readonly number[], again: readonly number[]) =>
  pieces.map((ms, at) => Math.min(ms, again[at] ?? ms))

const sumOf = (pieces: readonly number[]) => pieces.reduce((sum, ms) => sum + ms, 0)

/** The cost of work, of whose pieces each takes as long as it did when it was quickest. */
function costOf(work: () => unknown): Cost {
  let pieces = run(work)
  for (let attempt = 1; attempt < attempts && longest(pieces) >= longestPieceMs; attempt++) {
    pieces = least(pieces, run(work))
  }
  return { totalMs: sumOf(pieces), pieceMs: longest(pieces) }
}

const longest = (pieces: readonly number[]) => pieces.reduce((most, ms) => Math.max(most, ms), 0)

/** Does the work and returns how long its pieces took. Refusals are what most of it ends with. */
function run(work: () => unknown): number[] {
  const pieces: number[] = []
  let begun = performance.now()
  const end = () => {
    pieces.push(performance.now() - begun)
    begun = performance.now()
  }
  try {
    const steps = work()
    if (isIterator(steps)) {
      while (!steps.next().done) end()
    }
  } catch {
    // The error of a refusal is the business of tests.
  }
  end()
  return pieces
}

function isIterator(value: unknown): value is Iterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function'
}
