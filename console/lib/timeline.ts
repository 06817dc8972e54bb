/** Where certificates stand between issue and expiry, for a picture with one axis. Times are in milliseconds. */
import { renewalTimes } from '../../src/families/certificates/managed/renewal.ts'

/** What the picture needs of a certificate as the API shows it. */
export interface ShownCertificate {
  readonly type: 'uploaded' | 'managed'
  readonly not_valid_before: string | null
  readonly not_valid_after: string | null
  readonly fingerprint: string | null
  readonly status: {
    readonly issuance: 'pending' | 'completed' | 'failed'
    readonly renewal: 'unavailable' | 'scheduled' | 'pending' | 'failed'
  } | null
}

/** `pending` and `failed` are those of the issuance; `soon` is less than 14 days before the end. */
export type CertificateState = 'pending' | 'failed' | 'future' | 'valid' | 'soon' | 'expired'

export interface Span {
  readonly state: CertificateState
  readonly issued: number
  readonly expiry: number
  /** When it is renewed unless its authority suggests another time; undefined for what is not renewed. */
  readonly renewal: number | undefined
  /** From 0 to 1, of the lifetime that is over. */
  readonly elapsed: number
  readonly daysLeft: number
  readonly renewalFails: boolean
}

export interface NoSpan {
  readonly state: 'pending' | 'failed'
}

const dayMs = 86_400_000
const soonMs = 14 * dayMs

/** Where a certificate stands at a moment. */
export function spanOf(certificate: ShownCertificate, now: number): Span | NoSpan {
  const { type, not_valid_before: from, not_valid_after: until, fingerprint, status } = certificate
  if (from === null || until === null) return { state: status?.issuance === 'failed' ? 'failed' : 'pending' }
  const [issued, expiry] = [Date.parse(from), Date.parse(until)]
  const isRenewed = type === 'managed' && fingerprint !== null && status?.renewal !== 'unavailable'
  const facts = { fingerprint: fingerprint ?? '', notValidBefore: from, notValidAfter: until }
  return {
    state: stateAt(now, issued, expiry),
    issued,
    expiry,
    renewal: isRenewed ? renewalTimes(facts).renewAt : undefined,
    elapsed: Math.min(1, Math.max(0, (now - issued) / (expiry - issued))),
    daysLeft: Math.floor((expiry - now) / dayMs),
    renewalFails: status?.renewal === 'failed',
  }
}

function stateAt(now: number, issued: number, expiry: number): CertificateState {
  if (now < issued) return 'future'
  if (now >= expiry) return 'expired'
  return expiry - now < soonMs ? 'soon' : 'valid'
}

/** The axis on which all spans and the present lie, with a place from 0 to 1 for each time. */
export function axisOf(spans: readonly Span[], now: number) {
  const start = Math.min(now, ...spans.map(({ issued }) => issued))
  const end = Math.max(now + dayMs, ...spans.map(({ expiry }) => expiry))
  return { start, end, placeOf: (time: number) => (time - start) / (end - start) }
}
