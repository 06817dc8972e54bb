/** The token by which a further host joins: where the first one waits, its certificate, a secret for one use, and an end. */
import { randomBytes } from 'node:crypto'
import { SetupRefused } from '../decisions.ts'

export interface JoinToken {
  readonly address: string
  readonly port: number
  /** SHA-256 of the certificate that the first host shows, in hexadecimal digits. */
  readonly fingerprint: string
  readonly secret: string
  /** In milliseconds since the epoch. */
  readonly expires: number
}

const prefix = 'wolke-host-'

export const newSecret = () => randomBytes(32).toString('base64url')

export const writeToken = ({ address, port, fingerprint, secret, expires }: JoinToken): string =>
  prefix + Buffer.from(JSON.stringify([address, port, fingerprint, secret, expires])).toString('base64url')

/** Errors: `SetupRefused` for what is no token, and for one whose time is over. */
export function readToken(text: string, now: number): JoinToken {
  const token = parsed(text)
  if (!token) throw new SetupRefused('--join: this is no token of wolke host token')
  if (token.expires <= now) {
    const when = new Date(token.expires).toISOString().slice(0, 16)
    throw new SetupRefused(
      `--join: the token has expired, at ${when}Z; wolke host token on the first host prints another`,
    )
  }
  return token
}

function parsed(text: string): JoinToken | undefined {
  if (!text.startsWith(prefix) || text.length > 1_000) return undefined
  try {
    const parts: unknown = JSON.parse(Buffer.from(text.slice(prefix.length), 'base64url').toString())
    if (!Array.isArray(parts) || parts.length !== 5) return undefined
    const [address, port, fingerprint, secret, expires] = parts
    const isWell = [address, fingerprint, secret].every((one) => typeof one === 'string')
    return isWell && [port, expires].every(Number.isSafeInteger)
      ? { address, port, fingerprint, secret, expires }
      : undefined
  } catch {
    return undefined
  }
}
