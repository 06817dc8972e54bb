/** Secrets of links, sessions and challenges: 256 random bits, of which only a hash is stored. */
import { createHmac, hash, randomBytes } from 'node:crypto'

const shape = /^[\w-]{43}$/

/** A new random secret of 256 bits, in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** The form in which a secret is stored and looked up. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Tells whether a text has the form of a secret. */
export function isSecret(text: string | undefined): text is string {
  return text !== undefined && shape.test(text)
}

/** A value that follows from a secret and reveals nothing about it. */
export function derive(secret: string, purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('base64url')
}
