/** Measures two subjects in alternation, so that other load on the machine affects both equally. */
import type { Load } from './load.ts'
import { median } from './report.ts'

/** The number of rounds to measure, and the length of each. */
export interface Effort {
  readonly rounds: number
  readonly seconds: number
}

export interface Compared {
  readonly wolke: number
  readonly bare: number
  readonly ratio: number
}

/** Measures both subjects in each round, in alternating order. */
export async function inTurns(
  rounds: number,
  measure: { wolke: () => Promise<number>; bare: () => Promise<number> },
): Promise<Compared> {
  const wolke: number[] = []
  const bare: number[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 1) bare.push(await measure.bare())
    wolke.push(await measure.wolke())
    if (round % 2 === 0) bare.push(await measure.bare())
  }
  const ratio = median(wolke.map((value, round) => value / bare[round]!))
  return { wolke: median(wolke), bare: median(bare), ratio }
}

/** Requests per second of both servers under the same load, after a warm-up round. */
export async function compareLoads(
  { rounds, seconds }: Effort,
  run: { wolke: (seconds: number) => Promise<Load>; bare: (seconds: number) => Promise<Load> },
): Promise<Compared & { p50Ms: number; p99Ms: number; generatorCpu: number }> {
  const loads: Load[] = []
  await run.wolke(Math.max(2, seconds))
  await run.bare(Math.max(2, seconds))
  const compared = await inTurns(rounds, {
    async wolke() {
      const load = await run.wolke(seconds)
      loads.push(load)
      return load.requestsPerSecond
    },
    bare: async () => (await run.bare(seconds)).requestsPerSecond,
  })
  const middle = (pick: (load: Load) => number) => median(loads.map(pick))
  return {
    ...compared,
    p50Ms: middle((load) => load.p50Ms),
    p99Ms: middle((load) => load.p99Ms),
    generatorCpu: middle((load) => load.generatorCpu),
  }
}
