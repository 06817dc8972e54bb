/** All that can be chosen from for a new server. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { isLess } from '../../../src/protocols/net/decimal.ts'
import { type Api, useApi } from '../../api/api.ts'
import { leastMonthly } from '../pricing/lines.ts'
import type { Image, ServerType } from './draft.ts'
import { forParts, newServerData, rowsOf } from './new-data.ts'
import type { Named } from './part.ts'

export function useChoices() {
  const api = useApi()
  const [types, images, locations, pricing, groups, servers] = newServerData(api)
  return {
    types: useSorted(useSuspenseQuery(types).data, byPrice),
    images: useSorted(useSuspenseQuery(images).data, byFlavor),
    locations: useSuspenseQuery(locations).data,
    pricing: useSuspenseQuery(pricing).data.pricing,
    /** The resources that a server can have, by their families. */
    rows: useRows(api),
    groups: useSuspenseQuery(groups).data,
    servers: useSuspenseQuery(servers).data,
  }
}

function useRows(api: Api) {
  // biome-ignore lint/correctness/useHookAtTopLevel: the parts are always the same
  return forParts((part) => useSuspenseQuery(rowsOf(api, part)).data as readonly Named[])
}

export type Choices = ReturnType<typeof useChoices>

function useSorted<Item>(items: readonly Item[], order: (a: Item, b: Item) => number): readonly Item[] {
  return useMemo(() => items.toSorted(order), [items, order])
}

function byPrice(a: ServerType, b: ServerType): number {
  const [one, other] = [a, b].map(({ prices }) => leastMonthly(prices) ?? '0') as [string, string]
  return Number(isLess(other, one)) - Number(isLess(one, other))
}

const flavors = ['debian', 'ubuntu', 'fedora', 'alma', 'rocky', 'centos', 'opensuse']

/** The best known first, and of each the newest. */
function byFlavor(a: Image, b: Image): number {
  const place = ({ os_flavor: flavor }: Image) => (flavors.includes(flavor) ? flavors.indexOf(flavor) : flavors.length)
  const version = ({ os_version: text }: Image) => Number.parseFloat(text ?? '0')
  return place(a) - place(b) || version(b) - version(a)
}
