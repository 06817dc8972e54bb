/** New passwords for people who cannot sign in, through a link that somebody with access to the host or the mail gets. */
import type { Database } from '../kernel/data/db.ts'
import { addCredential, credentialOf, renewData } from './credential-store.ts'
import { findLink, makeLink, spendLink } from './link-store.ts'
import type { People } from './people.ts'
import { lockPerson, personByEmail, personById } from './person-store.ts'
import { deleteSignInsOf } from './session-store.ts'
import type { Whence } from './sessions.ts'
import { deadLink } from './setup.ts'
import type { PersonRow } from './tables.ts'

/** How long a link counts that was asked for by mail, in milliseconds. */
export const mailedMs = 30 * 60_000
/** How long one counts that an operator has made. */
export const handedMs = 24 * 3_600_000

/** Makes a link with which a person sets a new password. */
export function makePersonLink(db: Database, personId: number, forMs: number): Promise<string> {
  return db.transact((tx) => makeLink(tx, { kind: 'person', personId, forMs }))
}

/** Mails a link to an address, if somebody has it. Nobody waits for it, so nobody learns whether somebody has. */
export function mailReset(people: People, email: string): void {
  const send = async () => {
    const { db, mail } = people
    const person = await personByEmail(db.query, email)
    if (!mail || !person || person.disabled !== null) return
    const secret = await makePersonLink(db, person.id, mailedMs)
    mail.send(person.email, {
      subject: 'Set a new password for Wolke',
      paragraphs: [
        'Somebody, probably you, asked for a new password. The link works once, for 30 minutes.',
        'If it was not you there is nothing to do: without the link nothing changes.',
      ],
      facts: { Link: `${mail.origin}/console/reset#${secret}` },
      reason: 'This mail was sent because somebody gave this address on the page for lost passwords.',
    })
  }
  send().catch((error: unknown) => people.log.error({ err: error }, 'a link for a new password could not be made'))
}

/** Whose password a link sets. Errors: `forbidden` when it does not count. */
export async function personOfLink({ db, clock }: People, secret: string | undefined): Promise<PersonRow> {
  const link = await findLink(db.query, 'person', secret, clock.now())
  const person = link && (await personById(db.query, link.person_id!))
  if (!person || person.disabled !== null) throw deadLink()
  return person
}

/**
 * Uses a link up: sets the password, ends all sessions of the person, and starts a new one, whose secret it returns. Without
 * a hash the password stays as it is.
 */
export async function useLink(
  { db, sessions }: People,
  secret: string | undefined,
  passwordHash: string | undefined,
  whence: Whence,
): Promise<string> {
  return db.transact(async (tx) => {
    const link = await findLink(tx.query, 'person', secret, tx.now)
    const person = link && (await personById(tx.query, link.person_id!))
    if (!link || !person || person.disabled !== null || !(await spendLink(tx, link))) throw deadLink()
    const { id: personId } = person
    await deleteSignInsOf(tx, personId)
    await lockPerson(tx, personId)
    if (passwordHash !== undefined) {
      const known = await credentialOf(tx.query, personId, 'password')
      const subject = String(personId)
      if (known) await renewData(tx, known.id, passwordHash)
      else await addCredential(tx, { personId, kind: 'password', subject, data: passwordHash, name: '' })
    }
    await sessions.revokeAll(tx, personId)
    return sessions.start(tx, { personId, whence })
  })
}
