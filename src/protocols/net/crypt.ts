/**
 * Hashes of passwords in a form in which Linux keeps them: method `$7$` of crypt(5), scrypt, which libxcrypt has had from its
 * first release. The passwords are chance of more than 100 bits, which needs no work to be safe, so it is given the least.
 */
import { scryptSync, timingSafeEqual } from 'node:crypto'

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const costBits = 4
const blockSize = 1
const parallelism = 1
const parameters = `$7$${letters(costBits, 1)}${letters(blockSize, 5)}${letters(parallelism, 5)}`
const digestBytes = 32

/** Hashes a password. `chance` are random bytes, of which 12 are enough. */
export function hashPassword(password: string, chance: Buffer): string {
  return hashWith(password, encode(chance))
}

/** Tells whether a hash, as `hashPassword` makes it, is that of a password. */
export function isHashOf(password: string, hashed: string): boolean {
  const salt = hashed.slice(parameters.length).split('$')[0]!
  const [expected, given] = [Buffer.from(hashWith(password, salt)), Buffer.from(hashed)]
  return expected.length === given.length && timingSafeEqual(expected, given)
}

function hashWith(password: string, salt: string): string {
  const digest = scryptSync(password, salt, digestBytes, { N: 2 ** costBits, r: blockSize, p: parallelism })
  return `${parameters}${salt}$${encode(digest)}`
}

/** Three bytes become four letters, the lowest bits first; what is left at the end becomes as many as it needs. */
function encode(bytes: Buffer): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const length = Math.min(3, bytes.length - at)
    text += letters(bytes.readUIntLE(at, length), length + 1)
  }
  return text
}

/** Letters of six bits each, the lowest bits first. */
function letters(value: number, count: number): string {
  let text = ''
  for (let at = 0; at < count; at++) text += alphabet[(value >> (6 * at)) & 63]
  return text
}
