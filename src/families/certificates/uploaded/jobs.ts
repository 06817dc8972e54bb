/** The background job of uploaded certificates. */

import { queueMail, untold } from '../../../kernel/mail/outbox.ts'
import type { ClockEvent } from '../../../kernel/process/clock.ts'
import { eventsOfRows, firstEvents } from '../../../kernel/resource/clock-events.ts'
import type { Platform } from '../../../platform.ts'
import { dayMs } from '../domain.ts'
import { type ExpiringCertificate, noticeDays } from './domain.ts'
import { expiringCertificates, uploadedEnds } from './host.ts'
import { expiryNotice } from './mail.ts'

const atOnce = 200

/** Sends the expiry notices that are due. */
export async function sendExpiryNotices({ db, clock }: Platform): Promise<void> {
  const now = clock.now()
  for (let after: ExpiringCertificate | undefined; ; ) {
    const expiring = await expiringCertificates(db.query, now, after, atOnce)
    const notices = expiring.map((certificate) => expiryNotice(certificate, now))
    for (const notice of await untold(db.query, notices)) {
      await db.transact((tx) => queueMail(tx, notice, notice.content))
    }
    if (expiring.length < atOnce) return
    after = expiring.at(-1)
  }
}

/** The next times at which owners are told that a certificate is about to end. */
export async function nextNotices({ db }: Platform, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const found = noticeDays.map((days) => {
    const notices = { ...uploadedEnds, event: 'certificate_notice', earlierMs: days * dayMs } as const
    return eventsOfRows(db.query, notices, afterMs, limit)
  })
  return firstEvents(await Promise.all(found), limit)
}
