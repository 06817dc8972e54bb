/** Mail to owners of Projects about uploaded certificates that expire. */
import type { ProjectEvent } from '../../../kernel/mail/outbox.ts'
import type { MailContent } from '../../../kernel/mail/template.ts'
import { dayMs } from '../domain.ts'
import { summaryFacts } from '../mail.ts'
import { daysBefore, type ExpiringCertificate } from './domain.ts'

/** A mail and the event that it tells about. */
export interface Notice extends ProjectEvent {
  readonly content: MailContent
}

/** The notice for the nearest of 30, 7 and 1 days before expiry that has been reached. */
export function expiryNotice({ scope, ...certificate }: ExpiringCertificate, nowMs: number): Notice {
  const leftMs = Date.parse(certificate.notValidAfter) - nowMs
  const days = Math.ceil(leftMs / dayMs)
  return {
    scope,
    event: `certificate ${certificate.id} expires-${daysBefore(leftMs)} ${certificate.fingerprint}`,
    content: {
      subject: `Expires within ${days === 1 ? 'a day' : `${days} days`}: certificate ${certificate.id}`,
      paragraphs: [
        'An uploaded certificate is about to expire. It is not renewed automatically: upload a new certificate, and switch whatever uses this one to it.',
      ],
      facts: summaryFacts(certificate),
    },
  }
}
