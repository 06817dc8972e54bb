/** Mail to owners of Projects about failures of managed certificates. */
import type { Transaction } from '../../../kernel/data/db.ts'
import { queueMail } from '../../../kernel/mail/outbox.ts'
import type { ProjectScope } from '../../../kernel/scope.ts'
import type { CertificateSummary } from '../domain.ts'
import { summaryFacts } from '../mail.ts'

/** Why an authority does not issue, or is not asked, by the code of the failure (spec: Certificates). */
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
  dns_zone_is_secondary_zone: 'A domain belongs to a secondary zone, which is managed on other name servers.',
}

export interface IssuingFailure {
  readonly of: 'issuance' | 'renewal'
  /** As in status.error. */
  readonly code: string
  /** The action that failed, or another key that tells this failure of the certificate from others. */
  readonly occurrence: number | string
}

/**
 * Tells the owner in the transaction that records the failure. Does nothing when the Project has no owner, or when the
 * owner has been told already.
 */
export async function tellOfFailure(
  tx: Transaction,
  scope: ProjectScope,
  certificate: CertificateSummary,
  { of, code, occurrence }: IssuingFailure,
): Promise<void> {
  await queueMail(
    tx,
    { scope, event: `certificate ${certificate.id} ${of}-failed ${occurrence}` },
    {
      subject: `${of === 'issuance' ? 'Issuance' : 'Renewal'} failed: certificate ${certificate.id}`,
      paragraphs: [
        `The ${of} of a managed certificate failed. ${causes[code] ?? 'The cause is not known more closely.'}`,
        ...(certificate.notValidAfter === null ? [] : ['Until it ends, the present certificate stays in use.']),
        `Once the cause is gone, start it anew: hcloud certificate retry ${certificate.id}`,
      ],
      facts: { ...summaryFacts(certificate), Code: code },
    },
  )
}
