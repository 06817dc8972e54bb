/** One's own account: profile, ways to sign in, sessions, and proving once more who one is. */
import { noteTouched } from '../../kernel/audit/note.ts'
import { notFound } from '../../kernel/errors.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import { rpIdAt } from '../credentials/passkeys.ts'
import { accept } from '../memberships/invitations.ts'
import type { People } from '../people.ts'
import { updatePerson } from '../person-store.ts'
import { sessionsOf } from '../sessions/session-store.ts'
import type { PersonRow } from '../tables.ts'
import { wrongCodes } from '../told.ts'
import { type Account, type Call, personOf, sessionIdOf } from './call.ts'
import { credentialHandlers } from './credentials.ts'
import { identityHandlers } from './identities.ts'
import { passkeyHandlers } from './passkeys.ts'
import { proofHandlers } from './proofs.ts'
import { totpHandlers } from './totp.ts'

export function accountHandlers(people: People): Account {
  return {
    ...profileHandlers(people),
    ...credentialHandlers(people),
    ...totpHandlers(people),
    ...passkeyHandlers(people),
    ...identityHandlers(people),
    ...sessionHandlers(people),
    ...proofHandlers(people),
  }
}

function profileHandlers(people: People): Pick<Account, 'account' | 'updateAccount' | 'acceptInvitation'> {
  const { db, clock, sessions, settings, oidc } = people
  const show = async (person: PersonRow, { caller, browser }: Call) => {
    const { id, email, name, language, theme, installation_role, created } = person
    const { elevatedUntil } = caller
    const codes = await wrongCodes(people, id)
    return {
      account: {
        ...{ id, email, name, language, theme, installation_role, created },
        elevated_until: elevatedUntil > clock.now() ? timestamp(Math.min(elevatedUntil, 253_402_300_799_000)) : null,
        wrong_codes: codes && { count: codes.count, since: timestamp(codes.since) },
        can_have_passkeys: rpIdAt(browser().origin, settings) !== undefined,
        identity_provider: oidc ? new URL(oidc.options.issuer).host : null,
      },
    }
  }
  return {
    account: async (call) => show(await personOf(people, call), call),
    updateAccount: async (call) => {
      const { id } = await personOf(people, call)
      const person = await db.transact(async (tx) => {
        tx.afterCommit(() => sessions.forget())
        noteTouched(tx, id)
        return updatePerson(tx, id, call.body)
      })
      return show(person!, call)
    },
    acceptInvitation: async (call) => {
      const { network } = call.browser()
      const { projectId, role } = await accept(people, call.body.code, await personOf(people, call), network)
      return { project_id: projectId, role }
    },
  }
}

function sessionHandlers(people: People): Pick<Account, 'sessions' | 'endSession' | 'endOtherSessions'> {
  const { db, clock, sessions } = people
  return {
    sessions: async (call) => {
      const rows = await sessionsOf(db.query, call.caller.actor.id, clock.now())
      return {
        sessions: rows.map(({ id, created, last_seen, ends, network, agent }) => ({
          ...{ id, created, network, agent },
          last_seen: timestamp(last_seen),
          ends: timestamp(ends),
          is_current: id === sessionIdOf(call),
        })),
      }
    },
    endSession: async ({ caller, params: { id } }) => {
      await db.transact(async (tx) => {
        if (!(await sessions.revoke(tx, caller.actor.id, id))) throw notFound('session', id)
      })
    },
    endOtherSessions: async (call) => {
      await db.transact((tx) => sessions.revokeAll(tx, call.caller.actor.id, sessionIdOf(call)))
    },
  }
}
