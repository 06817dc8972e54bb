/**
 * Mail that others can have sent to somebody is bounded. Invitations are bounded by what is open in a Project, and by
 * what it and all Projects have sent within a day; links for new passwords by how many of them still count, of which
 * the newest does.
 */
import type { Transaction } from '../../kernel/data/db.ts'
import { limitExceeded } from '../../kernel/errors.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { countOpenInvitations } from '../memberships/invitation-store.ts'
import { countSent, forgetSent, lockRecipient, noteSent } from './mail-store.ts'

const dayMs = 86_400_000
/** Invitations of a Project that can be accepted. */
const mostOpen = 100
/** Invitations that go by mail within a day: of a Project, of a Project to one address, and of all Projects to one. */
const most = { ofProject: 100, toAddress: 3, toAddressOfAll: 20 }
/** Links to one address by mail, for as long as the first of them counts. */
const mostResets = 3

/**
 * Admits one more invitation, which the caller makes in this transaction, in which it is alone in the Project. Errors:
 * `resource_limit_exceeded`.
 */
export async function admitInvitation(
  tx: Transaction,
  scope: ProjectScope,
  email: string,
  isMailed: boolean,
): Promise<void> {
  if ((await countOpenInvitations(tx, scope, { butTo: email, most: mostOpen })) >= mostOpen) {
    throw limitExceeded('invitations', `a Project cannot have more than ${mostOpen} open invitations`)
  }
  if (!isMailed) return
  await lockRecipient(tx, email)
  const sinceMs = tx.now - dayMs
  if ((await countSent(tx, { of: scope, sinceMs })) >= most.ofProject) {
    throw limitExceeded('invitations', `a Project cannot send more than ${most.ofProject} invitations a day`)
  }
  const [own, all] = [
    await countSent(tx, { of: scope, recipient: email, sinceMs }),
    await countSent(tx, { of: 'projects', recipient: email, sinceMs }),
  ]
  if (own >= most.toAddress) {
    throw limitExceeded(
      'invitations',
      `a Project cannot send more than ${most.toAddress} invitations a day to ${email}`,
    )
  }
  if (all >= most.toAddressOfAll) {
    throw limitExceeded('invitations', `${email} cannot get more than ${most.toAddressOfAll} invitations a day`)
  }
  await noteSent(tx, scope, email)
}

/** Tells whether one more link goes to an address by mail, which counts for `forMs`. */
export async function admitReset(tx: Transaction, email: string, forMs: number): Promise<boolean> {
  await lockRecipient(tx, email)
  if ((await countSent(tx, { of: 'nobodys', recipient: email, sinceMs: tx.now - forMs })) >= mostResets) return false
  await noteSent(tx, undefined, email)
  return true
}

/** Forgets what bounds nothing any more. */
export function forgetOldSent(tx: Transaction): Promise<void> {
  return forgetSent(tx, tx.now - dayMs)
}
