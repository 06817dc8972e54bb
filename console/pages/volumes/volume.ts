/** What the pages of volumes share. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type ItemOf, useApi, useOutdate } from '../../api/api.ts'
import { estimate } from '../../lib/prices.ts'
import { volumes as english } from '../../words/en/volumes.ts'
import { price } from '../../words/format.ts'
import { wordsOf } from '../../words/words.ts'
import type { ResourceCalls } from '../resources/acts.tsx'

const w = wordsOf('volumes', english)

export type Volume = ItemOf<'volumes_list'>
export type Server = ItemOf<'servers_list'>

/** What a volume of a size costs a month, in words; undefined while the prices are not known. */
export function useVolumePrice(): (size: number) => string | undefined {
  const api = useApi()
  const { data } = useQuery(api.query('pricing_get', {}))
  return (size) => {
    if (!data || !Number.isInteger(size)) return undefined
    const { monthly, currency } = estimate({ location: '', volumes: [{ size }] }, data.pricing)
    return price(Number(monthly.net), currency)
  }
}

export function useVolumeCalls(): ResourceCalls<Volume> {
  const api = useApi()
  const outdate = useOutdate()
  return useMemo(() => {
    const update = (id: number, body: object) =>
      api.call('volumes_update', { params: { id }, body }).then(() => outdate('volumes'))
    return {
      operations: { update: 'volumes_update', remove: 'volumes_remove', protect: 'volumes_changeProtection' },
      rename: ({ id }, name) => update(id, { name }),
      relabel: ({ id }, labels) => update(id, { labels: { ...labels } }),
      protect: ({ id }, isProtected) =>
        api
          .call('volumes_changeProtection', { params: { id }, body: { delete: isProtected } })
          .then(() => outdate('volumes')),
      remove: ({ id }) => api.call('volumes_remove', { params: { id } }).then(() => outdate('volumes', 'servers')),
      words: { deleteText: () => w.deleteText, deleteAct: w.deleteAct, losesData: true },
      deleteReason: ({ server }) => (server === null ? undefined : w.isAttached),
    }
  }, [api, outdate])
}

/** The servers that a volume can be attached to: those of its location. */
export function serversFor(volume: { readonly location: string | undefined }, servers: readonly Server[]) {
  return servers.filter(({ location }) => volume.location === undefined || location?.name === volume.location)
}

/** The choices of a list of servers; the first says what is when none is chosen. */
export function serverOptions(servers: readonly Server[], none: string) {
  return [{ value: '', label: none }, ...servers.map(({ id, name }) => ({ value: String(id), label: name }))]
}
