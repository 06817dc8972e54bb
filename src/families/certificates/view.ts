/** Certificates as the API shows them. */
import type { Static } from 'typebox'
import type { View } from '../../kernel/resource/routes.ts'
import type { Certificate as Wire } from './contract.ts'
import type { Certificate, CertificateUser } from './domain.ts'
import { usersOf } from './store.ts'

type CertificateWire = Static<typeof Wire>

/** A certificate as the API shows it. */
export function certificateToWire(certificate: Certificate, users: readonly CertificateUser[] = []): CertificateWire {
  return {
    id: certificate.id,
    name: certificate.name,
    labels: certificate.labels,
    type: certificate.type,
    certificate: certificate.chain,
    created: certificate.created,
    not_valid_before: certificate.notValidBefore,
    not_valid_after: certificate.notValidAfter,
    domain_names: [...certificate.domainNames],
    fingerprint: certificate.fingerprint,
    status: certificate.status,
    used_by: users.map(({ id, type }) => ({ id, type })),
  }
}

/** Certificates as the API shows them, with what uses them. */
export const certificatesToWire: View<Certificate, CertificateWire> = async (some, query, { scope }) => {
  const ids = some.map(({ id }) => id)
  const users = await usersOf(query, scope, ids)
  return some.map((one) => certificateToWire(one, users.get(one.id) ?? []))
}
