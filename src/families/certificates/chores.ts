/** What is done about certificates by the clock. */
import { queueMail, untold } from '../../kernel/mail/outbox.ts'
import type { Platform } from '../../platform.ts'
import { endNotice } from './notices.ts'
import { type EndingCertificate, endingCertificates } from './store.ts'

const atOnce = 200

/** Tells owners of uploaded certificates that near their end. */
export async function endingChore({ db, clock }: Platform): Promise<void> {
  const now = clock.now()
  for (let after: EndingCertificate | undefined; ; ) {
    const ending = await endingCertificates(db.query, now, after, atOnce)
    const notices = ending.map((certificate) => endNotice(certificate, now))
    for (const notice of await untold(db.query, notices)) {
      await db.transact((tx) => queueMail(tx, notice, notice.content))
    }
    if (ending.length < atOnce) return
    after = ending.at(-1)
  }
}
