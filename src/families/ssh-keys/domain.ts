/** What an SSH public key is and how it is told apart from others. Pure. */
import { createHash } from 'node:crypto'
import type { Labels } from '../../kernel/contract/labels.ts'

export interface SshKey {
  readonly id: number
  readonly name: string
  /** MD5 of the key blob, 16 lower-case hex pairs joined by colons. */
  readonly fingerprint: string
  /** As it was given, byte for byte. */
  readonly publicKey: string
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

const algorithms = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
])

export type PublicKeyResult = { ok: true; fingerprint: string } | { ok: false; message: string }

/**
 * Reads a public key in OpenSSH's one-line form: algorithm, base64 blob, optional comment. A newline at its end is
 * tolerated, because clients send whole files; white space at its start is not (spec: Additional rules).
 */
export function parsePublicKey(text: string): PublicKeyResult {
  if (/^\s/.test(text)) return { ok: false, message: 'must not begin with white space' }
  const line = text.trimEnd()
  if (/[\r\n]/.test(line)) return { ok: false, message: 'must be a single line' }
  const [algorithm = '', blob = ''] = line.split(/[ \t]+/, 2)
  if (!algorithms.has(algorithm)) return { ok: false, message: 'must begin with the name of a known key algorithm' }
  const bytes = Buffer.from(blob, 'base64')
  if (blob === '' || bytes.toString('base64').replaceAll('=', '') !== blob.replaceAll('=', '')) {
    return { ok: false, message: 'does not hold a key in base64' }
  }
  if (!isBlobOf(algorithm, bytes)) return { ok: false, message: `is not a valid ${algorithm} key` }
  const digest = createHash('md5').update(bytes).digest('hex')
  return { ok: true, fingerprint: digest.replace(/..(?=.)/g, '$&:') }
}

/** A blob is a sequence of length-prefixed strings, the first of which repeats the algorithm (RFC 4253, 6.6). */
function isBlobOf(algorithm: string, bytes: Buffer): boolean {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return false
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return false
    parts.push(bytes.subarray(at + 4, end))
    at = end
  }
  if (parts[0]?.toString('latin1') !== algorithm) return false
  if (algorithm === 'ssh-ed25519') return parts.length === 2 && parts[1]!.length === 32
  return parts.length >= 3 && parts.slice(1).every((part) => part.length > 0)
}
