/** Computes when a certificate begins, ends and is renewed in between. Times are in milliseconds. */
import { renewalTimes } from '../../../src/families/certificates/managed/renewal.ts'

/** The fields of a certificate that its lifetime depends on. */
interface ShownCertificate {
  readonly type: 'uploaded' | 'managed'
  readonly not_valid_before: string | null
  readonly not_valid_after: string | null
  readonly fingerprint: string | null
  readonly status: { readonly renewal: string } | null
}

export interface Lifetime {
  readonly from: number
  readonly until: number
  /** The start of renewal unless the authority suggests another time; undefined for what is not renewed. */
  readonly renewAt: number | undefined
}

/** Undefined for a certificate that was never issued. */
export function lifetimeOf(certificate: ShownCertificate): Lifetime | undefined {
  const { type, not_valid_before: from, not_valid_after: until, fingerprint, status } = certificate
  if (from === null || until === null) return undefined
  const isRenewed = type === 'managed' && fingerprint !== null && status?.renewal !== 'unavailable'
  return {
    from: Date.parse(from),
    until: Date.parse(until),
    renewAt: isRenewed ? renewalTimes({ fingerprint, notValidBefore: from, notValidAfter: until }).renewAt : undefined,
  }
}
