/** What is to be said of a Project: what runs, what needs somebody, what comes, and what it costs. Pure. */
import type { ItemOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { estimate, type Line, type Wanted } from '../../lib/prices.ts'
import { lifetimeOf } from '../../lib/timeline.ts'
import type { Certificate } from '../certificates/certificate.ts'
import type { Server } from '../servers/server.ts'

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

const days = 7

/** What happens on one of the next days. */
export type Coming =
  | { readonly kind: 'certificate'; readonly certificate: Certificate; readonly what: 'renews' | 'ends' }
  | { readonly kind: 'backups'; readonly hour: string }

/** Whether a certificate is renewed without anybody doing anything. */
export function isRenewed({ type, status }: Certificate): boolean {
  return type === 'managed' && status?.renewal !== 'failed'
}

/** When the day begins that comes so many days after today. Days on which clocks change are not 24 hours long. */
function dayAfter(now: number, count: number): number {
  const day = new Date(now)
  day.setHours(0, 0, 0, 0)
  return day.setDate(day.getDate() + count)
}

/** The next days, each with what comes on it. `now` in ms since the epoch. */
export function comingDays(certificates: readonly Certificate[], servers: readonly Server[], now: number) {
  const windows = servers.flatMap(({ backup_window: window }) => (window ? [window.slice(0, 2)] : []))
  return Array.from({ length: days }, (_, index) => {
    const from = dayAfter(now, index)
    const isToday = (time = 0) => time >= Math.max(from, now) && time < dayAfter(now, index + 1)
    const coming: Coming[] = [
      ...(index === 0 && windows.length > 0 ? [{ kind: 'backups', hour: windows.sort()[0]! } as const] : []),
      ...certificates.flatMap((certificate): Coming[] => {
        const life = lifetimeOf(certificate)
        const what = isRenewed(certificate) ? 'renews' : 'ends'
        const isComing = isToday(what === 'renews' ? life?.renewAt : life?.until)
        return isComing ? [{ kind: 'certificate', certificate, what }] : []
      }),
    ]
    return { from, coming }
  })
}

/** What a month of all of them costs, by parts, the largest first. */
export function monthlyCosts(
  { servers, volumes, balancers, floatingIps, primaryIps, snapshots }: Possessions,
  prices: Prices,
): readonly { readonly what: Line['what']; readonly amount: number }[] {
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
    .map(([what, some]) => ({ what, amount: some.reduce((sum, { monthly }) => sum + Number(monthly.gross), 0) }))
    .sort((a, b) => b.amount - a.amount)
}
