/** New passwords for people who cannot sign in, through a link that somebody with access to the host or the mail gets. */
import type { Database, Queries, Transaction } from '../../kernel/data/db.ts'
import { addCredential, credentialOf, renewData } from '../credentials/credential-store.ts'
import { recordOwnAct } from '../events.ts'
import type { Letter, PersonMail } from '../mail/mail.ts'
import { admitReset } from '../mail/mail-bounds.ts'
import type { People } from '../people.ts'
import { lockPerson, personByEmail, personById } from '../person-store.ts'
import { deadLink } from '../setup.ts'
import type { PersonRow } from '../tables.ts'
import { verifyAddress } from '../verified.ts'
import { dropLinksOf, findLink, makeLink, spendLink } from './link-store.ts'
import { deleteSignInsOf } from './session-store.ts'
import type { Whence } from './sessions.ts'
import { beginSecond, hasSecondFactor } from './sign-in.ts'

/** The validity of a link that was asked for by mail, in milliseconds. */
const mailedMs = 30 * 60_000
/** The validity of a link that an operator made. */
const handedMs = 24 * 3_600_000

/** Makes a link with which a person sets a new password. */
export function makePersonLink(db: Database, personId: number): Promise<string> {
  return db.transact((tx) => makeLink(tx, { kind: 'person', personId, forMs: handedMs }))
}

/** Makes such a link and queues it for its person. */
export async function mailPersonLink({ db }: People, mail: PersonMail, { id, email }: PersonRow): Promise<void> {
  await db.transact(async (tx) => {
    const secret = await makeLink(tx, { kind: 'person', personId: id, forMs: handedMs })
    const content = {
      subject: 'Your account on Wolke',
      paragraphs: [
        'Somebody who administers Wolke made this link for you to set a password. It works once, for a day.',
      ],
      facts: { Link: `${mail.origin}/console/reset#${secret}` },
      reason: 'This mail was sent by Wolke because this address is that of your account.',
    }
    await mail.queue(tx, { recipient: email, content }, handedMs)
  })
}

/**
 * Queues a link for who has an address. Who has it is only looked up when it is sent, so that the answer takes as long for
 * addresses that nobody has.
 */
export async function askForLink({ db, mail }: People, email: string): Promise<void> {
  await db.transact(async (tx) => mail?.queueReset(tx, email, mailedMs))
}

/** Writes to who has an address; undefined when nobody has, or when as many links as go there are on their way. */
export async function writeReset(
  tx: Transaction,
  email: string,
  origin: string,
): Promise<{ letter: Letter; forMs: number } | undefined> {
  const person = await personByEmail(tx.query, email)
  if (!person || person.disabled !== null) return undefined
  if (!(await admitReset(tx, person.email, mailedMs))) return undefined
  const secret = await makeLink(tx, { kind: 'reset', personId: person.id, forMs: mailedMs })
  const content = {
    subject: 'Set a new password for Wolke',
    paragraphs: [
      'Somebody, probably you, asked for a new password. The link works once, for 30 minutes.',
      'If it was not you there is nothing to do: without the link nothing changes.',
    ],
    facts: { Link: `${origin}/console/reset#${secret}` },
    reason: 'This mail was sent because somebody gave this address on the page for lost passwords.',
  }
  return { letter: { recipient: person.email, content }, forMs: mailedMs }
}

interface GivenLink {
  readonly secret: string | undefined
  readonly isOidcOnly: boolean
}

/** A link that still counts, with its person. */
async function readLink(query: Queries, { secret, isOidcOnly }: GivenLink, nowMs: number) {
  const asked = await findLink(query, 'person', secret, nowMs)
  // Mail does not replace the identity provider.
  const link = asked ?? (isOidcOnly ? undefined : await findLink(query, 'reset', secret, nowMs))
  const person = link && (await personById(query, link.person_id!))
  if (!person || person.disabled !== null) throw deadLink()
  return { link, person }
}

/** Returns the person whose password a link sets. Errors: `forbidden` when it does not count. */
export async function personOfLink({ db, clock, settings }: People, secret: string | undefined): Promise<PersonRow> {
  return (await readLink(db.query, { secret, isOidcOnly: settings.isOidcOnly }, clock.now())).person
}

/**
 * Uses a link up: sets the password, ends all sessions of the person, and starts a new one, unless the link came by mail and
 * a second factor is needed as well. Without a hash the password stays as it is. Of a person who was not verified nothing stays.
 */
export async function useLink(
  { db, sessions, settings }: People,
  secret: string | undefined,
  passwordHash: string | undefined,
  whence: Whence,
): Promise<{ readonly kind: 'session' | 'second'; readonly secret: string }> {
  return db.transact(async (tx) => {
    const { link, person } = await readLink(tx.query, { secret, isOidcOnly: settings.isOidcOnly }, tx.now)
    if (!(await spendLink(tx, link))) throw deadLink()
    const { id: personId } = person
    const needsSecond = link.kind === 'reset' && (await hasSecondFactor(tx, personId))
    const isShown = person.verified === null && !needsSecond
    if (isShown) await verifyAddress(tx, person, { network: whence.network })
    else {
      // Other links may be in mail that somebody else reads.
      await dropLinksOf(tx, personId)
      await deleteSignInsOf(tx, personId)
    }
    const second = needsSecond ? await beginSecond(tx, personId, '/console') : undefined
    if (!isShown) await lockPerson(tx, personId)
    if (passwordHash !== undefined) {
      const known = await credentialOf(tx.query, personId, 'password')
      const subject = String(personId)
      if (known) await renewData(tx, known.id, passwordHash)
      else await addCredential(tx, { personId, kind: 'password', subject, data: passwordHash, name: '' })
    }
    await sessions.revokeAll(tx, personId)
    if (passwordHash !== undefined) await recordOwnAct(tx, person, 'set password by link', whence.network)
    if (second !== undefined) return { kind: 'second', secret: second }
    return { kind: 'session', secret: await sessions.start(tx, { personId, whence }) }
  })
}
