import { useQuery } from '@tanstack/react-query'
import { type ItemOf, useApi } from '../../api/api.ts'
import { money } from '../../lib/money.ts'
import type { ActsOptions } from '../../pages/shared/act.ts'
import { totalOf } from '../pricing/lines.ts'
import { prices } from './prices.ts'
import { volumes as w } from './words.ts'

export type Volume = ItemOf<'volumes_list'>
export type Server = ItemOf<'servers_list'>

/** Returns the net price of a month of a volume by its size; undefined while the prices are not known. */
export function useVolumePrice(): (size: number) => string | undefined {
  const api = useApi()
  const { data } = useQuery(api.query('pricing_get', {}))
  return (size) => {
    if (!data || !Number.isInteger(size)) return undefined
    const { monthly } = totalOf(prices.linesOf({ size }, data.pricing))
    return money(monthly, data.pricing.currency)
  }
}

export const volumeActs: ActsOptions<Volume> = {
  family: 'volumes',
  touches: ['servers'],
  lost: w.deleteText,
  deleteAct: w.deleteAct,
  losesData: true,
  whyNot: ({ server }) => (server === null ? undefined : w.isAttached),
}

/** The servers that a volume can be attached to: those of its location. */
export function serversFor(volume: { readonly location: string | undefined }, servers: readonly Server[]) {
  return servers.filter(({ location }) => volume.location === undefined || location?.name === volume.location)
}

/** The choices of a list of servers; the first says what is when none is chosen. */
export function serverOptions(servers: readonly Server[], none: string) {
  return [{ value: '', label: none }, ...servers.map(({ id, name }) => ({ value: String(id), label: name }))]
}
