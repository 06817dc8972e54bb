/** Certificates: what is kept of them, and what is accepted when. Pure. */
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Labels } from '../../kernel/contract/labels.ts'

/** What uses a certificate. */
export interface CertificateUser {
  readonly type: 'load_balancer'
  readonly id: number
}

export type CertificateType = 'uploaded' | 'managed'

/** How far a managed certificate is (spec: Certificate). */
export interface CertificateStatus {
  readonly issuance: 'pending' | 'completed' | 'failed'
  readonly renewal: 'unavailable' | 'scheduled' | 'pending' | 'failed'
  readonly error: { readonly code: string; readonly message: string } | null
}

/** What the leaf of a chain says. */
export interface CertificateFacts {
  readonly domainNames: readonly string[]
  /** SHA-256 of the leaf's DER: 32 upper-case hex pairs joined by colons. */
  readonly fingerprint: string
  readonly notValidBefore: string
  readonly notValidAfter: string
}

/** What is null is not issued yet. */
export interface Certificate {
  readonly id: number
  readonly name: string
  readonly type: CertificateType
  /** The chain in PEM; of an uploaded one byte for byte as it was given. */
  readonly chain: string | null
  readonly domainNames: CertificateFacts['domainNames']
  readonly fingerprint: string | null
  readonly notValidBefore: string | null
  readonly notValidAfter: string | null
  /** Null of uploaded ones. */
  readonly status: CertificateStatus | null
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

/** A certificate chain and the private key of its leaf, both in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly privateKey: string
}

/** What is wrong with one of the two. */
export interface KeyPairProblem {
  readonly field: 'certificate' | 'private_key'
  readonly message: string
}

/** What is accepted (spec: Certificate); both came in by dated changes. */
export interface Acceptance {
  /** At most 5 certificates of 30,000 bytes in all, and 5,000 bytes of private key. */
  readonly limitsSize: boolean
  /** RSA of 2048, 3072 or 4096 bits, ECDSA of 256 or 384. */
  readonly limitsKeys: boolean
}

export const maxCertificates = 5
const maxChainBytes = 30_000
const maxKeyBytes = 5_000

/** What is accepted at a time. */
export function acceptanceAt(nowMs: number): Acceptance {
  return {
    limitsSize: inEffect('certificate_size_limits', nowMs),
    limitsKeys: inEffect('certificate_key_sizes', nowMs),
  }
}

/** What can be said about a pair without reading it: all that is worth the event loop's time. */
export function sizeProblems({ certificate, privateKey }: KeyPair, { limitsSize }: Acceptance): KeyPairProblem[] {
  const given = [
    { field: 'certificate', text: certificate, most: maxChainBytes },
    { field: 'private_key', text: privateKey, most: maxKeyBytes },
  ] as const
  return given.flatMap(({ field, text, most }) => {
    const bytes = Buffer.byteLength(text)
    if (limitsSize && bytes > most) return [{ field, message: `has ${bytes} bytes; at most ${most} are accepted` }]
    return text.includes('-----BEGIN ') ? [] : [{ field, message: 'does not hold PEM' }]
  })
}

/** What is told about a certificate elsewhere. */
export type CertificateSummary = Pick<Certificate, 'id' | 'name' | 'domainNames' | 'fingerprint' | 'notValidAfter'>

export const dayMs = 86_400_000
const noticeDays = [1, 7, 30] as const

/** From when on owners are told that a certificate nears its end, in milliseconds before it. */
export const firstNoticeMs = noticeDays.at(-1)! * dayMs

/** The nearest of the days on which owners are told that has been reached; undefined before the first. */
export function daysBefore(leftMs: number): (typeof noticeDays)[number] | undefined {
  return noticeDays.find((days) => leftMs <= days * dayMs)
}
