/** The rates of all kinds of resources, from their families. */
import type { Columns } from '../../kernel/data/follow.ts'
import type { Family, Rate } from '../../platform.ts'

/** Tells the rates of a resource by its type and its columns. */
export type RatesOf = (type: string, columns: Columns) => readonly Rate[]

export function ratesIn(families: readonly Family[], platform: Parameters<Family['rates']>[0]): RatesOf {
  const byType = new Map(families.map(({ spelling, rates }) => [spelling.type, rates]))
  return (type, columns) => byType.get(type)?.(platform, columns as never) ?? []
}
