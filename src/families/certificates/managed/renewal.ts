/** When managed certificates are renewed. Pure. */
import type { CertificateFacts } from '../domain.ts'

/** When a renewal is announced as scheduled, and when it begins, in milliseconds. */
export interface RenewalTimes {
  readonly scheduleAt: number
  readonly renewAt: number
}

/** A span of time in milliseconds. */
export interface Window {
  readonly start: number
  readonly end: number
}

type Lifetime = Pick<CertificateFacts, 'fingerprint' | 'notValidBefore' | 'notValidAfter'>

/** Renewals of certificates that were issued together are spread over this part of the lifetime. */
const spread = 1 / 30

/** A renewal begins between these parts of the lifetime, whatever the authority suggests. */
const earliest = 1 / 90
const latest = 5 / 6

/** Times within the window that the authority suggests, or else from two thirds of the lifetime on. */
export function renewalTimes(facts: Lifetime, suggested?: Window): RenewalTimes {
  const from = Date.parse(facts.notValidBefore)
  const lifetime = Date.parse(facts.notValidAfter) - from
  const at = (part: number) => Math.round(from + lifetime * part)
  const { start, end } = suggested ?? { start: at(2 / 3), end: at(2 / 3 + spread) }
  const within = (time: number) => Math.min(at(latest), Math.max(at(earliest), time))
  return { scheduleAt: within(start), renewAt: within(Math.round(start + share(facts) * (end - start))) }
}

/** A number from 0 to 1 that differs between certificates and is the same in every process. */
function share({ fingerprint }: Lifetime): number {
  return Number.parseInt(fingerprint.slice(0, 11).replaceAll(':', ''), 16) / 2 ** 32
}
