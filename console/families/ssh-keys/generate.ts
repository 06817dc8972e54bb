/** Making a pair of SSH keys in the browser. The private key is written as OpenSSH does and never sent anywhere. */

export interface SshKeyPair {
  /** One line, as in `authorized_keys`. */
  readonly publicKey: string
  /** A file for `ssh -i`. */
  readonly privateKey: string
}

const algorithm = 'ssh-ed25519'
const blockBytes = 8

/** Tells whether this browser can generate keys, which needs a secure page. */
export function canGenerate(): boolean {
  return typeof crypto.subtle?.generateKey === 'function'
}

/** A new Ed25519 key. Errors: the browser's own, where it does not know the algorithm. */
export async function generateKeyPair(comment: string): Promise<SshKeyPair> {
  const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair
  const publicBytes = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  // A private key in PKCS #8 ends with its 32 bytes.
  const seed = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).slice(-32)
  const blob = joined(text(algorithm), string(publicBytes))
  return {
    publicKey: `${algorithm} ${base64(blob)} ${comment}`,
    privateKey: armoured(privateFile(blob, publicBytes, seed, comment)),
  }
}

/** The file format of OpenSSH, not encrypted (its PROTOCOL.key). */
function privateFile(blob: Uint8Array, publicBytes: Uint8Array, seed: Uint8Array, comment: string): Uint8Array {
  const check = crypto.getRandomValues(new Uint8Array(4))
  const secret = joined(
    check,
    check,
    text(algorithm),
    string(publicBytes),
    string(joined(seed, publicBytes)),
    text(comment),
  )
  const missing = (blockBytes - (secret.length % blockBytes)) % blockBytes
  const padding = Uint8Array.from({ length: missing }, (_, index) => index + 1)
  const magic = new TextEncoder().encode('openssh-key-v1\0')
  return joined(magic, text('none'), text('none'), text(''), uint32(1), string(blob), string(joined(secret, padding)))
}

function armoured(bytes: Uint8Array): string {
  const lines = base64(bytes).match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function string(bytes: Uint8Array): Uint8Array {
  return joined(uint32(bytes.length), bytes)
}

function text(value: string): Uint8Array {
  return string(new TextEncoder().encode(value))
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
