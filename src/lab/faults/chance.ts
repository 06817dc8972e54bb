/** Draws what happens by chance, and yet the same each time: it follows from a seed and from how often it was asked. */
import { createHash } from 'node:crypto'
import type { Latency } from './contract.ts'
import { durationOf, longestMs } from './durations.ts'

/** A number from 0 to 1, without 1. */
export function draw(seed: string, ...of: readonly (string | number)[]): number {
  return (
    createHash('sha256')
      .update([seed, ...of].join('\0'))
      .digest()
      .readUInt32BE() /
    2 ** 32
  )
}

/** Draws how long something takes, in milliseconds: never less than nothing, nor more than a rule can name. */
export function latencyMs({ duration, spread, distribution = 'fixed' }: Latency, seed: string, count: number): number {
  const mean = durationOf(duration)
  const width = spread === undefined ? 0 : durationOf(spread)
  const [one, other] = [draw(seed, 'latency', count), draw(seed, 'latency again', count)]
  const drawn = {
    fixed: () => mean,
    uniform: () => mean + width * (2 * one - 1),
    // Box and Muller have found it.
    normal: () => mean + width * Math.sqrt(-2 * Math.log(1 - one)) * Math.cos(2 * Math.PI * other),
    exponential: () => -mean * Math.log(1 - one),
  }[distribution]()
  return Math.min(longestMs, Math.max(0, Math.round(drawn)))
}
