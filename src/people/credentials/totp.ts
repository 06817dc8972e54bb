/** One-time codes by time (RFC 6238, with SHA-1, six digits and 30 s, which is what all apps understand) and by list. */
import { createHmac, hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const digits = 6
/** The most steps a clock may be off. */
const drift = 1
const base32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** A new secret of 160 bits, in base32. */
export function newTotpSecret(): string {
  return toBase32(randomBytes(20))
}

export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => base32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) => base32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)))
}

/** The time step of a moment. */
export function stepAt(nowMs: number): number {
  return Math.floor(nowMs / stepMs)
}

/** The code of a time step. */
export function totpCode(secret: string, step: number, length = digits): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE(mac.at(-1)! & 0xf) & 0x7fffffff
  return String(number % 10 ** length).padStart(length, '0')
}

/** A code as people type it has spaces and hyphens, and no more of them than digits and letters. */
const maxTyped = 32

/** Removes spaces and hyphens; the result is empty when the text is too long for a code. */
const plainCode = (given: string) => (given.length > maxTyped ? '' : given.replaceAll(/[\s-]/g, ''))

/** Tells whether a text has the form of a code by time, which that of a recovery code never has. */
export function isOneTimeCode(given: string): boolean {
  return /^\d{6}$/.test(plainCode(given))
}

/** The time step that a code belongs to, later than `after`; undefined when there is none. */
export function matchingStep(secret: string, given: string, nowMs: number, after: number): number | undefined {
  if (!isOneTimeCode(given)) return undefined
  const code = plainCode(given)
  const now = stepAt(nowMs)
  const steps = Array.from({ length: 2 * drift + 1 }, (_, i) => now - drift + i)
  return steps
    .filter((step) => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code)))
    .find((step) => step > after)
}

/** The address that apps read from a QR code. */
export function totpUri(secret: string, account: string, issuer: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}

// ---- Recovery codes ------------------------------------------------------------------------------------------------

export const recoveryCodes = 10
/** The alphabet leaves out letters that look like others. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'

/** New recovery codes of 59 bits each, such as `k3v9-2mxa-77qd`. */
export function newRecoveryCodes(): string[] {
  const group = () => Array.from({ length: 4 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: recoveryCodes }, () => `${group()}-${group()}-${group()}`)
}

/** The form in which a recovery code of a person is stored; undefined for what is none. */
export function hashRecoveryCode(personId: number, given: string): string | undefined {
  const code = plainCode(given).toLowerCase()
  return /^[2-9a-z]{12}$/.test(code) ? hash('sha256', `${personId} ${code}`) : undefined
}
