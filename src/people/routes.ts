/** People through the API: their account, the people of the installation, and invitations. */

import { managementTokenNames } from '../kernel/access/management-tokens.ts'
import { enterProject } from '../kernel/access/projects.ts'
import type { ApiCall, Endpoint, Handlers } from '../kernel/contract/contract.ts'
import { ApiError, notFound } from '../kernel/errors.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { accountHandlers } from './account/routes.ts'
import type { peopleEndpoints } from './contract.ts'
import { kindsByPerson } from './credentials/credential-store.ts'
import { disablePerson } from './disabling.ts'
import type { Letter } from './mail/mail.ts'
import { admitInvitation } from './mail/mail-bounds.ts'
import {
  createInvitation,
  endInvitation,
  type Inviter,
  invitationMs,
  invitationsOf,
} from './memberships/invitation-store.ts'
import { mayGive } from './memberships/invitations.ts'
import type { People } from './people.ts'
import {
  addressIn,
  createPerson,
  hasOtherAdmin,
  listPeople,
  lockSetup,
  peopleByIds,
  personById,
  updatePerson,
} from './person-store.ts'
import { mailPersonLink, makePersonLink } from './sessions/resets.ts'
import { lastSeenOf } from './sessions/session-store.ts'
import type { InvitationRow, PersonRow } from './tables.ts'

export function peopleHandlers(people: People): Handlers<typeof peopleEndpoints> {
  return { ...accountHandlers(people), ...installationHandlers(people), ...invitationHandlers(people) }
}

function inviterOf({ caller: { actor } }: Pick<ApiCall<Endpoint>, 'caller'>): Inviter {
  const idOf = (kind: typeof actor.kind) => (actor.kind === kind ? actor.id : null)
  return { inviter_id: idOf('person'), inviter_token: idOf('management') }
}

// ---- The people of the installation --------------------------------------------------------------------------------

type Installation = 'people' | 'createPerson' | 'updatePerson' | 'makePersonLink'

async function toWire({ db }: People, rows: readonly PersonRow[]) {
  const ids = rows.map(({ id }) => id)
  const [kinds, seen] = [await kindsByPerson(db.query, ids), await lastSeenOf(db.query, ids)]
  return rows.map(({ id, email, name, installation_role, created, disabled, verified }) => {
    const at = seen.get(id)
    const has = kinds.get(id)
    return {
      ...{ id, email, name, installation_role, created, disabled },
      last_seen: at === undefined ? null : timestamp(at),
      has_second_factor: has?.has('totp') === true || has?.has('passkey') === true,
      is_verified: verified !== null,
    }
  })
}

/** Queues a link for its person or, without a mail server, returns it for who asked. */
async function handLink(people: People, person: PersonRow, origin: string): Promise<string | null> {
  if (!people.mail) return `${origin}/console/reset#${await makePersonLink(people.db, person.id)}`
  await mailPersonLink(people, people.mail, person)
  return null
}

function installationHandlers(people: People): Pick<Handlers<typeof peopleEndpoints>, Installation> {
  const { db, sessions } = people
  const one = async (person: PersonRow) => (await toWire(people, [person]))[0]!
  return {
    people: async () => ({ people: await toWire(people, await listPeople(db.query)) }),
    createPerson: async ({ body, browser }) => {
      const { email, name = '', installation_role: installationRole = 'none' } = body
      const person = await db.transact((tx) => createPerson(tx, { email, name, installationRole }))
      return { person: await one(person), link: await handLink(people, person, linkOrigin(people, browser().origin)) }
    },
    updatePerson: async ({ params: { id }, body }) => {
      const { disabled, ...change } = body
      const person = await db.transact(async (tx) => {
        await lockSetup(tx)
        const known = await personById(tx.query, id)
        if (!known) throw notFound('person', id)
        const isLeaving = disabled === true || change.installation_role === 'none'
        if (isLeaving && known.installation_role === 'admin' && !(await hasOtherAdmin(tx.query, id))) {
          throw new ApiError('last_admin', 'nobody else administers the installation')
        }
        tx.afterCommit(() => sessions.forget())
        if (disabled) return disablePerson(tx, known, change)
        return (await updatePerson(tx, id, { ...change, ...(disabled === false ? { disabled: null } : {}) }))!
      })
      return { person: await one(person) }
    },
    makePersonLink: async ({ params: { id }, browser }) => {
      const person = await personById(db.query, id)
      if (!person) throw notFound('person', id)
      if (person.disabled !== null) throw new ApiError('person_disabled', 'this person cannot sign in')
      return { link: await handLink(people, person, linkOrigin(people, browser().origin)) }
    },
  }
}

/** Returns the origin of a link that is shown to its requester: the public URL, or the origin of the request. */
function linkOrigin({ settings: { publicOrigins } }: People, origin: string): string {
  return publicOrigins.includes(origin) ? origin : (publicOrigins[0] ?? origin)
}

// ---- Invitations ---------------------------------------------------------------------------------------------------

type Inviting = 'invitations' | 'invite' | 'withdrawInvitation'

function invitationHandlers(people: People): Pick<Handlers<typeof peopleEndpoints>, Inviting> {
  const { db, clock } = people
  return {
    invitations: async ({ scope }) => ({
      invitations: await invitationsToWire(people, await invitationsOf(db.query, scope, clock.now())),
    }),
    invite: async ({ scope, body, caller, browser }) => {
      const role = caller.role ?? (caller.actor.kind === 'management' ? 'owner' : 'viewer')
      if (!mayGive(role, body.role)) throw new ApiError('forbidden', `with the role ${role} nobody can give this role`)
      const isMailed = people.mail !== undefined
      const email = addressIn(body.email)
      const given = { scope, email, role: body.role, inviter: inviterOf({ caller }), isMailed }
      const { invitation, secret } = await db.transact(async (tx) => {
        const { name: project } = await enterProject(tx, scope, 'update')
        await admitInvitation(tx, scope, email, isMailed)
        const made = await createInvitation(tx, given)
        const { mail } = people
        const written = { ...made, project, by: caller.actor.name }
        if (mail) await mail.queue(tx, invitationLetter(written, mail.origin), invitationMs, scope)
        return made
      })
      // The link is shown to the inviter, this once, if there is no mail server.
      const link = people.mail ? null : `${linkOrigin(people, browser().origin)}/console/invite#${secret}`
      return { invitation: (await invitationsToWire(people, [invitation]))[0]!, link }
    },
    withdrawInvitation: async ({ scope, params: { id } }) => {
      await db.transact(async (tx) => {
        if (!(await endInvitation(tx, scope, id))) throw notFound('invitation', id)
      })
    },
  }
}

async function invitationsToWire({ db }: People, rows: readonly InvitationRow[]) {
  const idsOf = (kind: keyof Inviter) => [...new Set(rows.flatMap((row) => row[kind] ?? []))]
  const people = await peopleByIds(db.query, idsOf('inviter_id'))
  const tokens = await managementTokenNames(db.query, idsOf('inviter_token'))
  return rows.map(({ id, email, role, inviter_id, inviter_token, created, expires }) => ({
    ...{ id, email, role, created },
    inviter: people.get(inviter_id ?? 0)?.name ?? tokens.get(inviter_token ?? 0) ?? null,
    expires: timestamp(expires),
  }))
}

interface Written {
  readonly invitation: InvitationRow
  readonly secret: string
  readonly project: string
  readonly by: string
}

function invitationLetter({ invitation, secret, project, by }: Written, origin: string): Letter {
  const content = {
    subject: 'An invitation to a Project on Wolke',
    paragraphs: [
      'Somebody invites you to a Project. The link works once, for 7 days.',
      'If you did not expect this there is nothing to do.',
    ],
    facts: {
      'Invited by': by,
      Project: project,
      Role: invitation.role,
      Link: `${origin}/console/invite#${secret}`,
    },
    reason: 'This mail was sent because somebody gave this address for an invitation.',
  }
  return { recipient: invitation.email, content }
}
