/** The background job of uploaded certificates. */
import { queueMail, untold } from '../../../kernel/mail/outbox.ts'
import type { Platform } from '../../../platform.ts'
import type { ExpiringCertificate } from './domain.ts'
import { expiringCertificates } from './host.ts'
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
