/** Puts together what people need: one secret of the installation, from which its name for browsers follows. */
import type { Sessions as SessionFinder } from '../kernel/access/principal.ts'
import type { Authenticator } from '../kernel/access/tokens.ts'
import type { Database } from '../kernel/data/db.ts'
import type { SendMail } from '../kernel/mail/smtp.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import { HashingLine } from '../kernel/secrets/hashing.ts'
import { randomKey } from '../kernel/secrets/kek.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { passkeyData } from './credentials/credential-store.ts'
import { forgetOldAttempts } from './credentials/guesses.ts'
import { passkeyDataOf } from './credentials/passkeys.ts'
import { derive } from './credentials/secret-text.ts'
import { PersonMail } from './mail/mail.ts'
import { forgetOldSent } from './mail/mail-bounds.ts'
import { forgetOldMail } from './mail/mail-store.ts'
import { forgetInvitations } from './memberships/invitation-store.ts'
import type { People } from './people.ts'
import { Oidc, type OidcOptions } from './providers/oidc.ts'
import { cookieName, isSecurePlace, readCookie } from './sessions/cookies.ts'
import { forgetExpired } from './sessions/link-store.ts'
import { writeReset } from './sessions/resets.ts'
import { forgetEnded } from './sessions/session-store.ts'
import { idleMs, Sessions } from './sessions/sessions.ts'

export interface PeopleOptions {
  readonly db: Database
  readonly clock: Clock
  readonly log: Logger
  readonly secrets: Secrets
  readonly authenticator: Authenticator
  readonly publicOrigins: readonly string[]
  /** As of the cloud. */
  readonly keepsAnswers?: boolean | undefined
  /** Undefined without a mail server. */
  readonly send: SendMail | undefined
  readonly oidc?: OidcOptions | undefined
  readonly isOidcOnly?: boolean | undefined
}

/** The number of hexadecimal digits that tell installations on one machine apart. */
const nameLength = 6

export async function openPeople(options: PeopleOptions): Promise<People> {
  const { db, clock, log, secrets, authenticator, publicOrigins, send, oidc, isOidcOnly = false } = options
  const key = await secrets.ofInstallation(db, 'people', async () => randomKey().toString('base64url'))
  const [origin] = publicOrigins
  const bytes = Buffer.from(key, 'base64url')
  return {
    db,
    clock,
    log,
    settings: { publicOrigins, isOidcOnly },
    installation: Buffer.from(derive(key, 'installation'), 'base64url').toString('hex').slice(0, nameLength),
    key: bytes,
    sessions: new Sessions(db, clock.now, undefined, options.keepsAnswers),
    hashing: new HashingLine(),
    mail:
      send && origin !== undefined
        ? new PersonMail({
            db,
            key: bytes,
            send,
            clock,
            log,
            origin,
            writeReset: (tx, to) => writeReset(tx, to, origin),
          })
        : undefined,
    oidc: oidc ? new Oidc(oidc) : undefined,
    async findToken(text) {
      const { actor } = (await authenticator.find(text)) ?? {}
      return actor?.kind === 'token' ? actor.id : undefined
    },
  }
}

/** Finds people by the cookie that their browser got, in the form that it got it in. */
export function sessionFinder({ sessions, installation, settings }: People): SessionFinder {
  return {
    find({ cookie, host = '' }, { isUse }) {
      const named = settings.publicOrigins.find((origin) => new URL(origin).host === host.toLowerCase())
      const secure = readCookie(cookie, cookieName({ origin: 'https://localhost', installation }, 'session'))
      // Elsewhere somebody in the network could have set a cookie without the prefix that browsers guard.
      const isSecure = isSecurePlace(named ?? (URL.canParse(`http://${host}`) ? `http://${host}` : 'https://localhost'))
      const plain = cookieName({ origin: 'http://elsewhere', installation }, 'session')
      const secret = secure ?? (isSecure ? undefined : readCookie(cookie, plain))
      if (secret === undefined) return undefined
      const known = sessions.cached(secret, isUse)
      return known ? known.identity : sessions.find(secret, isUse).then((found) => found?.identity)
    },
    findAgain: (asker) => sessions.findAgain(asker),
  }
}

/** Deletes what has ended. */
export async function tidyPeople({ db }: Pick<People, 'db'>): Promise<void> {
  await db.transact(async (tx) => {
    await forgetOldSent(tx)
    await forgetInvitations(tx)
    await forgetExpired(tx)
    await forgetOldAttempts(tx)
    await forgetEnded(tx, idleMs)
    await forgetOldMail(tx)
  })
}

/** Warns when passkeys were made for a host that people no longer use. */
export async function warnOfPasskeys({ db, log, settings }: People): Promise<void> {
  const hosts = settings.publicOrigins.map((origin) => new URL(origin).hostname)
  if (hosts.length === 0) return
  const lost = (await passkeyData(db.query)).map((data) => passkeyDataOf({ data }).rpId)
  const others = [...new Set(lost)].filter((host) => !hosts.includes(host))
  if (others.length > 0) log.warn({ hosts: others }, 'passkeys were made for hosts that --public-url does not name')
}
