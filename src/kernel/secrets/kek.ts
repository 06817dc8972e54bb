/**
 * Encryption of data that the database alone must not reveal. Key-encryption keys are kept outside the database; they
 * encrypt only the keys of Projects and the few secrets of the installation itself. A ciphertext is bound to its place:
 * moved or changed, it does not decrypt.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

/** A key-encryption key. */
export interface Kek {
  /** Distinguishes keys without revealing anything about them: 16 hexadecimal digits. */
  readonly id: string
  readonly key: KeyObject
}

/** The key that encrypts, and the previous one, which still decrypts. */
export interface Keyring {
  readonly current: Kek
  readonly previous?: Kek | undefined
}

export const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
const cipher = 'aes-256-gcm'

/** Throws unless there are 32 bytes. */
export function toKek(bytes: Buffer): Kek {
  if (bytes.length !== keyBytes) throw new Error(`a key has ${keyBytes} bytes, not ${bytes.length}`)
  const id = createHmac('sha256', bytes).update('wolke key id').digest('hex').slice(0, 16)
  return { id, key: createSecretKey(bytes) }
}

/** A new random key. */
export function randomKey(): Buffer {
  return randomBytes(keyBytes)
}

/** The key with this id in a ring. */
export function kekOf({ current, previous }: Keyring, id: string): Kek | undefined {
  return [current, previous].find((kek) => kek?.id === id)
}

/** AES-256-GCM with a random nonce: nonce, ciphertext and tag in base64url. `place` is authenticated as well. */
export function encrypt(key: KeyObject | Buffer, place: string, plain: Buffer): string {
  const nonce = randomBytes(nonceBytes)
  const sealing = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(place))
  const body = [sealing.update(plain), sealing.final()]
  return Buffer.concat([nonce, ...body, sealing.getAuthTag()]).toString('base64url')
}

/** Decrypts the result of `encrypt`. Throws for another key, another place or a changed text. */
export function decrypt(key: KeyObject | Buffer, place: string, sealed: string): Buffer {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < nonceBytes + tagBytes) throw new Error('the ciphertext is too short')
  const [nonce, tag] = [bytes.subarray(0, nonceBytes), bytes.subarray(-tagBytes)]
  const opening = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes })
  opening.setAAD(Buffer.from(place)).setAuthTag(tag)
  return Buffer.concat([opening.update(bytes.subarray(nonceBytes, -tagBytes)), opening.final()])
}
