/** Certificates: what is stored of them, and which content is accepted at a given time. Pure. */
import { inEffect } from '../../kernel/contract/changes.ts'
import type { Labels } from '../../kernel/contract/labels.ts'
import type { KeyKind } from '../../protocols/net/x509.ts'
import { certificateChanges } from './changes.ts'

/** A resource that uses a certificate. */
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

/** A certificate. The chain and the facts of its leaf are null until it is issued. */
export interface Certificate {
  readonly id: number
  readonly name: string
  readonly type: CertificateType
  /** The chain in PEM. The chain of an uploaded certificate is kept byte for byte. */
  readonly chain: string | null
  readonly domainNames: CertificateFacts['domainNames']
  readonly fingerprint: string | null
  readonly notValidBefore: string | null
  readonly notValidAfter: string | null
  /** Null for uploaded certificates. */
  readonly status: CertificateStatus | null
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

/** What mail about a certificate shows of it. */
export type CertificateSummary = Pick<Certificate, 'id' | 'name' | 'domainNames' | 'fingerprint' | 'notValidAfter'>

export const dayMs = 86_400_000

// ---- Which content is accepted -------------------------------------------------------------------------------------

/** A certificate chain and the private key of its leaf, both in PEM. */
export interface KeyPair {
  readonly certificate: string
  readonly privateKey: string
}

/** What is wrong with the chain or with the private key. */
export interface KeyPairProblem {
  readonly field: 'certificate' | 'private_key'
  readonly message: string
  readonly isLimit?: true
}

/** Limits on content (spec: Certificate). Both took effect by dated changes. */
export interface Acceptance {
  /** At most 5 certificates of 30,000 bytes in all, and 5,000 bytes of private key. */
  readonly limitsSize: boolean
  /** RSA keys of 2048, 3072 or 4096 bits, ECDSA keys of 256 or 384 bits. */
  readonly limitsKeys: boolean
}

export const maxCertificates = 5
const maxChainBytes = 30_000
const maxKeyBytes = 5_000
/** No larger RSA key was ever accepted. */
const maxRsaBits = 8_192

/** All limits on size and kind. */
export const strictest: Acceptance = { limitsSize: true, limitsKeys: true }

/** The limits that are in effect at a time. */
export function acceptanceAt(nowMs: number): Acceptance {
  return {
    limitsSize: inEffect(certificateChanges.certificate_size_limits, nowMs),
    limitsKeys: inEffect(certificateChanges.certificate_key_sizes, nowMs),
  }
}

/** The problems that show without parsing the pair; nothing more is checked on the event loop. */
export function sizeProblems({ certificate, privateKey }: KeyPair, { limitsSize }: Acceptance): KeyPairProblem[] {
  const given = [
    { field: 'certificate', of: 'a chain of certificates', text: certificate, most: maxChainBytes },
    { field: 'private_key', of: 'a private key', text: privateKey, most: maxKeyBytes },
  ] as const
  return given.flatMap(({ field, of, text, most }) => {
    if (limitsSize && Buffer.byteLength(text) > most) {
      return [{ field, message: `${of} cannot have more than ${most} bytes`, isLimit: true }]
    }
    return text.includes('-----BEGIN ') ? [] : [{ field, message: 'does not hold PEM' }]
  })
}

/** Why a key is not accepted; undefined when it is. */
export function keyProblem(key: KeyKind, { limitsKeys }: Acceptance): string | undefined {
  if (key === 'encrypted') return 'is encrypted; send it without a passphrase'
  if (key === 'of another kind') return 'has a key that is neither RSA nor ECDSA on a curve that is accepted'
  const { kind, bits } = key
  const accepted = kind === 'RSA' ? acceptsRsa(bits, limitsKeys) : !limitsKeys || bits < 521
  if (accepted) return undefined
  const sizes = kind === 'RSA' ? '2048, 3072 or 4096' : '256 or 384'
  return `has an ${kind} key of ${bits} bits; ${sizes} are accepted`
}

function acceptsRsa(bits: number, limitsKeys: boolean): boolean {
  return limitsKeys ? [2_048, 3_072, 4_096].includes(bits) : bits >= 1_024 && bits <= maxRsaBits
}
