/** The forecast of a Project: what comes on its next days. Pure. */

import type { Certificate } from '../../families/certificates/certificate.ts'
import { lifetimeOf } from '../../families/certificates/lifetime.ts'
import type { Server } from '../../families/servers/server.ts'

const days = 7

/** An event on one of the next days. */
export type Coming =
  | { readonly kind: 'certificate'; readonly certificate: Certificate; readonly what: 'renews' | 'ends' }
  | { readonly kind: 'backups'; readonly hour: string }

/** Returns whether a certificate is renewed without anybody doing anything. */
function isRenewed({ type, status }: Certificate): boolean {
  return type === 'managed' && status?.renewal !== 'failed'
}

/** Returns the start of the day so many days after today. Days on which clocks change are not 24 hours long. */
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
