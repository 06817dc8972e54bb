/** The monthly costs of the resources of a Project. */
import { useQueries, useQuery } from '@tanstack/react-query'
import { isLess, sum } from '../../../src/protocols/net/decimal.ts'
import { useApi } from '../../api/api.ts'
import type { Line, Priced } from '../../families/pricing/lines.ts'
import { prices } from '../../generated/prices.ts'
import { language } from '../../words/words.ts'

const families: readonly (readonly [family: string, priced: Priced<never>])[] = Object.entries(prices)

const titles: Priced<never>['titles'] = Object.assign({}, ...families.map(([, priced]) => priced.titles))

interface Costs {
  readonly currency: string
  /** The costs by what they are for, the largest first. */
  readonly parts: readonly { readonly what: string; readonly title: string; readonly amount: string }[]
}

/** Returns the monthly costs of all resources; undefined until all of them are known. */
export function useCosts(): Costs | undefined {
  const api = useApi()
  const { data } = useQuery(api.query('pricing_get', {}))
  const lists = useQueries({
    queries: families.map(([family, { query }]) =>
      api.list(`${family}_list` as 'servers_list', query ? { query } : {}),
    ),
    combine: (replies) => replies.map((reply) => reply.data as readonly never[] | undefined),
  })
  if (!data) return undefined
  const lines: Line[] = []
  for (const [index, rows] of lists.entries()) {
    if (!rows) return undefined
    lines.push(...rows.flatMap((row) => families[index]![1].linesOf(row, data.pricing)))
  }
  const parts = [...Map.groupBy(lines, ({ what }) => what)]
    .map(([what, some]) => ({ what, title: titles[what]![language], amount: sum(some.map(({ monthly }) => monthly)) }))
    .filter(({ amount }) => Number(amount) > 0)
    .sort((a, b) => Number(isLess(a.amount, b.amount)) - Number(isLess(b.amount, a.amount)))
  return { currency: data.pricing.currency, parts }
}
