/**
 * Rows that lookups gave, kept until something changes what they were read from (watching.ts). Who asks again as long as
 * nothing has changed gets the same rows, so that what was made of them is found by comparing objects.
 */
import type { QueryResult } from 'kysely'
import { keepsAnything } from './kept.ts'
import type { Changes, Touched } from './watching.ts'

/**
 * Half of the most that is kept, and the most of one result: a value weighs 8 and each character 1. What nobody has asked
 * for while as much came goes.
 */
const mostWeight = 4_000_000
const mostOfOne = 100_000
const weightOfResult = 200
const weightOfValue = 8

/** A result, how often what it was read from had been changed by then, and when that was last found to be so. */
interface Kept {
  readonly result: QueryResult<unknown>
  readonly changes: number
  lookedAt: number
  readonly weight: number
}

export class KeptRows {
  readonly #changes: Changes
  #young = new Map<string, Kept>()
  #old = new Map<string, Kept>()
  #weight = 0

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** The result that would be read again; undefined where that is not known. */
  find(key: string, touched: Touched): QueryResult<unknown> | undefined {
    if (!keepsAnything()) return undefined
    const young = this.#young.get(key)
    const kept = young ?? this.#old.get(key)
    if (!kept || !this.#isCurrent(kept, touched)) return undefined
    if (!young) this.#add(key, kept)
    return kept.result
  }

  /** Keeps what was just read outside of a transaction. */
  keep(key: string, touched: Touched, result: QueryResult<unknown>): void {
    const weight = weightOf(result.rows)
    if (weight > mostOfOne) return
    const changes = this.#changes.changesOf(touched)
    this.#add(key, { result, changes, lookedAt: this.#changes.total, weight })
  }

  #isCurrent(kept: Kept, touched: Touched): boolean {
    const { total } = this.#changes
    if (kept.lookedAt === total) return true
    if (kept.changes !== this.#changes.changesOf(touched)) return false
    kept.lookedAt = total
    return true
  }

  #add(key: string, kept: Kept): void {
    this.#weight += kept.weight - (this.#young.get(key)?.weight ?? 0)
    this.#young.set(key, kept)
    if (this.#weight <= mostWeight) return
    this.#old = this.#young
    this.#young = new Map()
    this.#weight = 0
  }
}

/** Names a statement with its values. */
export function keyOf(statement: number, values: readonly unknown[]): string {
  let key = `${statement}`
  // Numbers come without their length, so that no text reads like one.
  for (const value of values) key += typeof value === 'string' ? ` ${value.length}:${value}` : ` ${value}`
  return key
}

function weightOf(rows: readonly unknown[]): number {
  let weight = weightOfResult
  for (const row of rows as readonly Readonly<Record<string, unknown>>[]) {
    for (const column in row) {
      const value = row[column]
      weight += typeof value === 'string' ? weightOfValue + value.length : weightOfValue
    }
    if (weight > mostOfOne) return weight
  }
  return weight
}
