/** People are told when somebody tries one-time codes for their account, who therefore has the password. */
import { onOwnBehalf } from '../kernel/process/behalf.ts'
import { type Admitted, triedCodes } from './credentials/guesses.ts'
import type { People } from './people.ts'
import { personById } from './person-store.ts'

/** These are more wrong codes than somebody mistypes; the last number is the first that has to wait. */
const tellAt = [10, 50]
const toldMs = 5 * 86_400_000

/** Tells a person by mail, after a wrong code. */
export async function tellOfCodes({ db, mail }: People, personId: number, { codes }: Admitted): Promise<void> {
  if (!mail || !tellAt.includes(codes)) return
  const content = {
    subject: 'Somebody tries to sign in to your account',
    paragraphs: [
      `${codes} one-time codes for your account were not right. Whoever tried them knew your password, or had a browser in which you are signed in.`,
      'If it was not you, set a new password, and end all other sessions in the security settings of your account.',
    ],
    facts: {},
    reason: 'This mail was sent by Wolke because this address is that of your account.',
  }
  await onOwnBehalf(() =>
    db.transact(async (tx) => {
      const person = await personById(tx.query, personId)
      if (person) await mail.queue(tx, { recipient: person.email, content }, toldMs)
    }),
  )
}

/** Returns what the account page shows of it; null when there is nothing. */
export async function wrongCodes(people: People, personId: number): Promise<{ count: number; since: number } | null> {
  const { failures, since } = await triedCodes(people, personId)
  return failures < tellAt[0]! ? null : { count: failures, since }
}
