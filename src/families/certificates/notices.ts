/** What owners of Projects are told about certificates by mail, each event once. */
import type { Transaction } from '../../kernel/data/db.ts'
import { type ProjectEvent, queueMail } from '../../kernel/mail/outbox.ts'
import type { MailContent } from '../../kernel/mail/template.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { type CertificateSummary, dayMs, daysBefore } from './domain.ts'
import type { EndingCertificate } from './store.ts'

/** A mail and the event for which it is. */
export interface Notice extends ProjectEvent {
  readonly content: MailContent
}

const mostDomains = 10

function factsOf({ id, name, domainNames, notValidAfter }: CertificateSummary): Record<string, string> {
  const more = domainNames.length - mostDomains
  const domains = domainNames.slice(0, mostDomains).join(', ')
  return {
    Certificate: `${name} (ID ${id})`,
    Domains: more > 0 ? `${domains} and ${more} more` : domains,
    ...(notValidAfter === null ? {} : { 'Valid until': notValidAfter }),
  }
}

/** That an uploaded certificate nears its end: of the 30, 7 and 1 days before it, the nearest that is reached. */
export function endNotice({ scope, ...certificate }: EndingCertificate, nowMs: number): Notice {
  const leftMs = Date.parse(certificate.notValidAfter) - nowMs
  const days = Math.ceil(leftMs / dayMs)
  return {
    scope,
    event: `certificate ${certificate.id} expires-${daysBefore(leftMs)} ${certificate.fingerprint}`,
    content: {
      subject: `Expires within ${days === 1 ? 'a day' : `${days} days`}: certificate ${certificate.name}`,
      paragraphs: [
        'An uploaded certificate is about to expire. Nothing renews it by itself: upload its successor, and let what uses this one use that instead.',
      ],
      facts: factsOf(certificate),
    },
  }
}

/** Why a certificate authority gives none out, or is not asked (spec: Certificates). */
const causes: Readonly<Record<string, string>> = {
  caa_record_does_not_allow_ca: 'A CAA record of a domain does not let our certificate authority issue for it.',
  ca_dns_validation_failed: 'The certificate authority could not verify a domain through DNS.',
  ca_too_many_authorizations_failed_recently:
    'The certificate authority has seen too many failed verifications of a domain lately, and refuses more for a while.',
  ca_too_many_certificates_issued_for_registered_domain:
    'The certificate authority has issued as many certificates for a registered domain as it does in a week.',
  ca_too_many_duplicate_certificates:
    'The certificate authority has issued as many certificates for exactly these domains as it does in a week.',
  could_not_verify_domain_delegated_to_zone: 'A domain is not delegated to the name servers of its zone here.',
  dns_zone_not_found: 'The Project has no DNS zone that a domain belongs to.',
  dns_zone_is_secondary_zone: 'A domain belongs to a secondary zone, which is written elsewhere.',
}

/** A failure of a managed certificate. */
export interface Failure {
  readonly of: 'issuance' | 'renewal'
  /** As in status.error. */
  readonly code: string
  /** The action that failed, or whatever else tells this failure from others of the certificate. */
  readonly occurrence: number | string
}

/** Tells the owner, in the transaction that records the failure; without an owner, or told already, it does nothing. */
export async function tellOfFailure(
  tx: Transaction,
  scope: ProjectScope,
  certificate: CertificateSummary,
  { of, code, occurrence }: Failure,
): Promise<void> {
  await queueMail(
    tx,
    { scope, event: `certificate ${certificate.id} ${of}-failed ${occurrence}` },
    {
      subject: `${of === 'issuance' ? 'Issuance' : 'Renewal'} failed: certificate ${certificate.name}`,
      paragraphs: [
        `The ${of} of a managed certificate failed. ${causes[code] ?? 'The cause is not known more closely.'}`,
        ...(certificate.notValidAfter === null ? [] : ['Until it ends, the present certificate stays in use.']),
        `Once the cause is gone, start it anew: hcloud certificate retry ${certificate.id}`,
      ],
      facts: { ...factsOf(certificate), Code: code },
    },
  )
}
