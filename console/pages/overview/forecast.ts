/** What is to be said of a Project: what runs, what needs somebody, what comes, and what it costs. Pure. */
import type { ItemOf } from '../../api/api.ts'
import type { ReplyFor } from '../../api/operations.ts'
import { estimate, type Line, type Wanted } from '../../lib/prices.ts'
import type { Server } from '../servers/server.ts'

export type Certificate = ItemOf<'certificates_list'>
type Prices = ReplyFor<'pricing_get'>['pricing']

export const days = 7
const dayMs = 86_400_000

/** What happens on one of the next days. */
export type Coming =
  | { readonly kind: 'certificate'; readonly certificate: Certificate; readonly isRenewed: boolean }
  | { readonly kind: 'backups'; readonly hour: string }

/** Whether a certificate is renewed without anybody doing anything. */
export function isRenewed({ type, status }: Certificate): boolean {
  return type === 'managed' && status?.renewal !== 'failed'
}

/** The next days, each with what comes on it. `now` in ms since the epoch. */
export function comingDays(certificates: readonly Certificate[], servers: readonly Server[], now: number) {
  const today = new Date(now)
  today.setHours(0, 0, 0, 0)
  const windows = servers.flatMap(({ backup_window: window }) => (window ? [window.slice(0, 2)] : []))
  return Array.from({ length: days }, (_, index) => {
    const from = today.getTime() + index * dayMs
    const ending = certificates.filter(({ not_valid_after: end }) => {
      const time = end ? Date.parse(end) : 0
      return time >= Math.max(from, now) && time < from + dayMs
    })
    const coming: Coming[] = [
      ...(index === 0 && windows.length > 0 ? [{ kind: 'backups', hour: windows.sort()[0]! } as const] : []),
      ...ending.map(
        (certificate) => ({ kind: 'certificate', certificate, isRenewed: isRenewed(certificate) }) as const,
      ),
    ]
    return { from, coming }
  })
}

/** What a month of all servers costs, by parts, the largest first. */
export function monthlyCosts(
  servers: readonly Server[],
  prices: Prices,
): readonly { readonly what: Line['what']; readonly amount: number }[] {
  const lines = [...Map.groupBy(servers, ({ location }) => location?.name ?? '')].flatMap(([location, some]) => {
    const wanted: Wanted = {
      location,
      servers: some.map((server) => ({ type: server.server_type.name, backups: server.backup_window !== null })),
      primaryIps: some.filter(({ public_net: { ipv4 } }) => ipv4).map(() => ({ type: 'ipv4' })),
    }
    return estimate(wanted, prices).lines
  })
  return [...Map.groupBy(lines, ({ what }) => what)]
    .map(([what, some]) => ({ what, amount: some.reduce((sum, { monthly }) => sum + Number(monthly.gross), 0) }))
    .sort((a, b) => b.amount - a.amount)
}
