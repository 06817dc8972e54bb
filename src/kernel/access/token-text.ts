/**
 * A token is shown once and stored only as a hash. Official clients require exactly 64 characters. Tokens made here end
 * in a checksum, so that a mistyped one is refused without a database lookup.
 */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** The beginnings of tokens: those of Projects, and management tokens of the installation. */
const prefixes = { project: 'wlk_', management: 'wlm_' } as const
const tokenLength = 64
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new random token of 321 bits: `wlk_` or `wlm_`, 54 random characters, 6 of checksum. */
export function generateToken(kind: keyof typeof prefixes = 'project'): string {
  const prefix = prefixes[kind]
  const random = Array.from({ length: tokenLength - prefix.length - checksumLength }, () => alphabet[randomInt(62)])
  const body = prefix + random.join('')
  return body + checksum(body)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/**
 * Tells whether `text` can be a token at all: 64 printable characters and, for tokens made here, a correct checksum.
 */
export function isTokenShaped(text: string): boolean {
  if (!/^[\x21-\x7e]{64}$/.test(text)) return false
  const isOurs = Object.values(prefixes).some((prefix) => text.startsWith(prefix))
  return !isOurs || text.endsWith(checksum(text.slice(0, -checksumLength)))
}

/** Tells whether a token is one of the installation instead of a Project. */
export function isManagementToken(text: string): boolean {
  return text.startsWith(prefixes.management)
}

export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** The last four characters of a token, which tell tokens apart in a list. */
export function tailOf(token: string): string {
  return token.slice(-4)
}
