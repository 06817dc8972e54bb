/** The services that all code about people uses. */
import type { Database } from '../kernel/data/db.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { HashingLine } from '../kernel/secrets/hashing.ts'
import { decrypt, encrypt } from '../kernel/secrets/kek.ts'
import type { PersonMail } from './mail/mail.ts'
import type { Oidc } from './providers/oidc.ts'
import type { Sessions } from './sessions/sessions.ts'

/** The operator's settings for people. */
export interface PeopleSettings {
  /** Origins under which people reach the installation, such as `https://cloud.example.com`. */
  readonly publicOrigins: readonly string[]
  /** True when people sign in through the identity provider alone. */
  readonly isOidcOnly: boolean
}

export interface People {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly settings: PeopleSettings
  /** Tells installations apart that share a host: hexadecimal digits. */
  readonly installation: string
  /** Encrypts what has to be read again, such as the secrets of one-time codes. */
  readonly key: Buffer
  readonly sessions: Sessions
  /** The line in which callers wait for a password hash. */
  readonly hashing: HashingLine
  /** Undefined without a mail server or without a public URL. */
  readonly mail: PersonMail | undefined
  /** Undefined without an identity provider. */
  readonly oidc: Oidc | undefined
  /** The id of an API token that counts. */
  findToken(text: string): Promise<number | undefined>
}

/** Encrypts a secret of a person for its place. */
export function sealFor({ key }: Pick<People, 'key'>, personId: number, what: string, secret: string): string {
  return encrypt(key, `person|${personId}|${what}`, Buffer.from(secret))
}

/** Decrypts a secret of a person. Throws when it was not sealed for this place. */
export function openFor({ key }: Pick<People, 'key'>, personId: number, what: string, sealed: string): string {
  return decrypt(key, `person|${personId}|${what}`, sealed).toString()
}
