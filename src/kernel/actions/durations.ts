/** The time that actions take on an infrastructure that would do everything at once. */
import { createHash } from 'node:crypto'
import type { ActionRow } from './tables.ts'

/** The least and the most that actions of a command take, in seconds; `*` stands for all others. */
export type DurationTable = Readonly<Record<string, readonly [number, number]>>

export interface Durations {
  /** In milliseconds of the database's clock. */
  of(action: Pick<ActionRow, 'id' | 'command'>): number
  /** The longest of all, in milliseconds. */
  readonly longestMs: number
}

/** Actions take no longer than their work. */
export const instant: Durations = { of: () => 0, longestMs: 0 }

/** Durations within the bounds of a table, the same for a seed and an action's id each time. */
export function durationsOf(table: DurationTable, seed: string): Durations {
  return {
    longestMs: Math.max(0, ...Object.values(table).map(([, longest]) => longest)) * 1_000,
    of({ id, command }) {
      const [shortest, longest] = table[command] ?? table['*'] ?? [0, 0]
      const share = createHash('sha256').update(`${seed} ${id}`).digest().readUInt32BE() / 2 ** 32
      return Math.round((shortest + share * (longest - shortest)) * 1_000)
    },
  }
}

const mostSeconds = 86_400

/**
 * Reads a table from JSON, which gives for each command a number of seconds, or the least and the most. Errors: one line
 * that names the command.
 */
export function readDurations(text: string, commands: readonly string[]): DurationTable {
  const given: unknown = JSON.parse(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error('must be a JSON object')
  return Object.fromEntries(
    Object.entries(given).map(([command, value]) => {
      if (command !== '*' && !commands.includes(command)) throw new Error(`${command} is no command of an action`)
      return [command, boundsIn(command, value)]
    }),
  )
}

function boundsIn(command: string, value: unknown): readonly [number, number] {
  const [shortest, longest, ...more] = Array.isArray(value) ? value : [value, value]
  const isTime = (seconds: unknown): seconds is number =>
    typeof seconds === 'number' && seconds >= 0 && seconds <= mostSeconds
  if (isTime(shortest) && isTime(longest) && shortest <= longest && more.length === 0) return [shortest, longest]
  throw new Error(`${command}: must be seconds from 0 to ${mostSeconds}, or the least and the most of them`)
}
