/** The form of SSH public keys, for servers and browsers alike. Pure. */

const algorithms = new Set([
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
])

/** Longest public key with its comment, in characters: an RSA key of 16,384 bits takes less than 3,000. */
export const maxPublicKey = 16_384

export type KeyBlobResult = { ok: true; blob: Uint8Array } | { ok: false; message: string }

/**
 * Reads a public key in OpenSSH's one-line form: algorithm, base64 blob, optional comment. A newline at its end is
 * tolerated, because clients send whole files; white space at its start is not (spec: Additional rules).
 */
export function readPublicKey(text: string): KeyBlobResult {
  if (text.length > maxPublicKey) return { ok: false, message: `must not have more than ${maxPublicKey} characters` }
  if (/^\s/.test(text)) return { ok: false, message: 'must not begin with white space' }
  const line = text.trimEnd()
  if (/[\r\n]/.test(line)) return { ok: false, message: 'must be a single line' }
  const [algorithm = '', encoded = ''] = line.split(/[ \t]+/, 2)
  if (!algorithms.has(algorithm)) return { ok: false, message: 'must begin with the name of a known key algorithm' }
  const blob = bytesOf(encoded)
  if (blob === undefined) return { ok: false, message: 'does not hold a key in base64' }
  return isBlobOf(algorithm, blob) ? { ok: true, blob } : { ok: false, message: `is not a valid ${algorithm} key` }
}

/** The bytes of canonical base64, whose padding may be missing or too long; undefined for anything else. */
function bytesOf(base64: string): Uint8Array | undefined {
  const digits = withoutPadding(base64)
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return undefined
  const binary = atob(digits)
  return withoutPadding(btoa(binary)) === digits ? Uint8Array.from(binary, (char) => char.charCodeAt(0)) : undefined
}

/** The digits before the padding. A pattern would begin anew at every character of a padding that is none. */
function withoutPadding(base64: string): string {
  let end = base64.length
  while (base64[end - 1] === '=') end--
  return base64.slice(0, end)
}

/** A blob is a sequence of length-prefixed strings, the first of which repeats the algorithm (RFC 4253, 6.6). */
function isBlobOf(algorithm: string, bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer)
  const parts: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return false
    const end = at + 4 + view.getUint32(at)
    if (end > bytes.length) return false
    parts.push(bytes.subarray(at + 4, end))
    at = end
  }
  if (parts[0]?.length !== algorithm.length || String.fromCharCode(...parts[0]) !== algorithm) return false
  if (algorithm === 'ssh-ed25519') return parts.length === 2 && parts[1]!.length === 32
  return parts.length >= 3 && parts.slice(1).every((part) => part.length > 0)
}
