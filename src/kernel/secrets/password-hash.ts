/**
 * Hashes of passwords: argon2id with the parameters of OWASP's cheat sheet, stored as PHC text so that they can grow. Who
 * hashes waits for a turn before (hashing.ts).
 */
import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)

/** Memory in KiB, passes and lanes. */
const current = { memory: 19 * 1024, passes: 2, parallelism: 1 } as const
const saltBytes = 16
const hashBytes = 32

/** No password has more characters. */
export const maxPassword = 128

interface Hash {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
  readonly salt: Buffer
  readonly bytes: Buffer
}

// Composed characters are the same whatever the keyboard sends.
const toBytes = (password: string) => Buffer.from(password.normalize('NFC'))

function compute(password: string, { memory, passes, parallelism, salt, bytes }: Hash): Promise<Buffer> {
  const message = toBytes(password)
  return derive('argon2id', { message, nonce: salt, memory, passes, parallelism, tagLength: bytes.length })
}

/** Hashes a password with today's parameters, as PHC text. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const bytes = await compute(password, { ...current, salt, bytes: Buffer.alloc(hashBytes) })
  const plain = (buffer: Buffer) => buffer.toString('base64').replace(/=+$/, '')
  const { memory, passes, parallelism } = current
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${plain(salt)}$${plain(bytes)}`
}

const phc = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

function readPhc(text: string): Hash {
  const [, memory, passes, parallelism, salt, bytes] = phc.exec(text) ?? []
  if (!bytes) throw new Error('a stored password has a form that this version does not know')
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt!, 'base64'),
    bytes: Buffer.from(bytes, 'base64'),
  }
}

/** Computed for accounts that do not exist or have no password, so that they take as long as others. */
const nobody: Hash = { ...current, salt: Buffer.alloc(saltBytes, 'nobody'), bytes: Buffer.alloc(hashBytes) }

/** Tells whether a password is the one that was hashed; takes as long without a hash. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const known = stored === undefined ? nobody : readPhc(stored)
  const bytes = await compute(password.slice(0, 4 * maxPassword), known)
  return timingSafeEqual(bytes, known.bytes) && stored !== undefined
}

/** Tells whether a hash has weaker parameters than new ones. */
export function isOutdated(stored: string): boolean {
  const { memory, passes, parallelism } = readPhc(stored)
  return memory !== current.memory || passes !== current.passes || parallelism !== current.parallelism
}
