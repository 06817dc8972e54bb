/** What the possessions of a Project cost every month. Pure. */
import { isLess, sum } from '../../../src/protocols/net/decimal.ts'
import type { ItemOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import type { Server } from '../../families/servers/server.ts'
import { estimate, type Line, type Wanted } from '../../lib/prices.ts'

type Prices = ReplyFor<'pricing_get'>['pricing']

/** What a Project has that costs something every month. */
interface Possessions {
  readonly servers: readonly Server[]
  readonly volumes: readonly ItemOf<'volumes_list'>[]
  readonly balancers: readonly ItemOf<'load_balancers_list'>[]
  readonly floatingIps: readonly ItemOf<'floating_ips_list'>[]
  readonly primaryIps: readonly ItemOf<'primary_ips_list'>[]
  readonly snapshots: readonly ItemOf<'images_list'>[]
}

/** What a month of all of them costs, by parts, the largest first. */
export function monthlyCosts(
  { servers, volumes, balancers, floatingIps, primaryIps, snapshots }: Possessions,
  prices: Prices,
): readonly { readonly what: Line['what']; readonly amount: string }[] {
  const places = new Set(
    [...servers, ...volumes, ...balancers, ...primaryIps]
      .map(({ location }) => location?.name ?? '')
      .concat(floatingIps.map(({ home_location: { name } }) => name)),
  )
  const lines = [...places].flatMap((place) => {
    const here = <One extends { readonly location: { readonly name: string } | null }>(all: readonly One[]) =>
      all.filter(({ location }) => (location?.name ?? '') === place)
    const wanted: Wanted = {
      location: place,
      servers: here(servers).map((one) => ({ type: one.server_type.name, backups: one.backup_window !== null })),
      primaryIps: here(primaryIps),
      volumes: here(volumes),
      loadBalancers: here(balancers).map((one) => ({ type: one.load_balancer_type.name })),
      floatingIps: floatingIps.filter((one) => one.home_location.name === place),
    }
    return estimate(wanted, prices).lines
  })
  const kept = snapshots.map(({ image_size: size }) => ({ size: size ?? 0 }))
  lines.push(...estimate({ location: '', snapshots: kept }, prices).lines)
  return [...Map.groupBy(lines, ({ what }) => what)]
    .map(([what, some]) => ({ what, amount: sum(some.map(({ monthly }) => monthly)) }))
    .sort((a, b) => Number(isLess(a.amount, b.amount)) - Number(isLess(b.amount, a.amount)))
}
