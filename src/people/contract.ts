/** People manage their own account, invitations to Projects, and the people of an installation below `/wolke/v1`. */
import { Type } from 'typebox'
import { roles } from '../kernel/access/roles.ts'
import { closedObject, defineEndpoints, Id, named, nullable, Timestamp } from '../kernel/contract/contract.ts'
import { credentialKinds, languages, themes } from './tables.ts'

declare module '../kernel/errors.ts' {
  interface CallCodes {
    wrong_credentials: 403
    last_credential: 422
    last_admin: 422
    person_disabled: 422
    weak_password: 422
  }
}

const section = 'Authentication'
const Email = Type.String({ minLength: 3, maxLength: 254 })
const Name = Type.String({ minLength: 1, maxLength: 100 })
/** A password as it is given; `weak_password` tells what is wrong with a new one. */
const Password = Type.String({ minLength: 1, maxLength: 512 })
const InstallationRole = Type.Enum(['none', 'admin'])
const GivenRole = Type.Enum(roles.filter((role) => role !== 'owner'))
/** A message between browsers and passkeys, which has a dozen members (WebAuthn 3, 5.1). */
const Opaque = Type.Record(Type.String(), Type.Unknown(), { maxProperties: 32 })

const Account = named('Account', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  language: nullable(Type.Enum(languages)),
  theme: Type.Enum(themes),
  installation_role: InstallationRole,
  created: Timestamp,
  /** The time until which no further proof of identity is needed. */
  elevated_until: nullable(Timestamp),
  can_have_passkeys: Type.Boolean(),
  wrong_codes: nullable(
    Type.Object(
      { count: Type.Integer(), since: Timestamp },
      { description: 'One-time codes that were tried and not right, when they are more than somebody mistypes' },
    ),
  ),
  identity_provider: nullable(Type.String()),
})

const Credential = named('Credential', {
  id: Id,
  kind: Type.Enum(credentialKinds.filter((kind) => kind !== 'recovery')),
  name: Type.String(),
  created: Timestamp,
  last_used: nullable(Timestamp),
  /** These two are set for a passkey: its host, and whether it is copied between devices. */
  host: nullable(Type.String()),
  is_synced: nullable(Type.Boolean()),
})

const Session = named('Session', {
  id: Id,
  created: Timestamp,
  last_seen: Timestamp,
  ends: Timestamp,
  network: Type.String(),
  agent: Type.String(),
  is_current: Type.Boolean(),
})

const Person = named('Person', {
  id: Id,
  email: Type.String(),
  name: Type.String(),
  installation_role: InstallationRole,
  created: Timestamp,
  disabled: nullable(Timestamp),
  last_seen: nullable(Timestamp),
  has_second_factor: Type.Boolean(),
  is_verified: Type.Boolean({ description: 'Whether it is known that the address is theirs' }),
})

const Invitation = named('Invitation', {
  id: Id,
  email: Type.String(),
  role: Type.Enum(roles),
  inviter: nullable(
    Type.String({ description: 'The name of the person or of the management token; null when that token is revoked' }),
  ),
  created: Timestamp,
  expires: Timestamp,
})

/** A link that is shown once; null when it went by mail. */
const Link = nullable(Type.String())
const RecoveryCodes = Type.Object({ recovery_codes: nullable(Type.Array(Type.String())) })

const own = { family: 'account', section, needs: 'person' } as const
const proven = { ...own, elevated: true } as const
const operators = { family: 'people', section, needs: 'operator' } as const

export const accountEndpoints = defineEndpoints({
  account: {
    ...own,
    method: 'GET',
    path: '/account',
    summary: 'Get who is signed in',
    status: 200,
    reply: Type.Object({ account: Account }),
    errors: [],
  },
  updateAccount: {
    ...own,
    method: 'PUT',
    path: '/account',
    summary: 'Change name, language or theme',
    body: closedObject({
      name: Type.Optional(Name),
      language: Type.Optional(nullable(Type.Enum(languages))),
      theme: Type.Optional(Type.Enum(themes)),
    }),
    status: 200,
    reply: Type.Object({ account: Account }),
    errors: [],
  },
  credentials: {
    ...own,
    method: 'GET',
    path: '/account/credentials',
    summary: 'List the ways to sign in',
    status: 200,
    reply: Type.Object({ credentials: Type.Array(Credential), recovery_codes_left: Type.Integer() }),
    errors: [],
  },
  renameCredential: {
    ...own,
    method: 'PUT',
    path: '/account/credentials/{id}',
    title: 'credential',
    summary: 'Rename a passkey or another way to sign in',
    body: closedObject({ name: Name }),
    status: 200,
    reply: Type.Object({ credential: Credential }),
    errors: [],
  },
  removeCredential: {
    ...proven,
    method: 'DELETE',
    path: '/account/credentials/{id}',
    title: 'credential',
    summary: 'Remove a way to sign in, but not the last one',
    status: 204,
    errors: ['last_credential'],
  },
  setPassword: {
    ...proven,
    method: 'PUT',
    path: '/account/password',
    summary: 'Set the password; all other sessions end',
    body: closedObject({ password: Password }),
    status: 204,
    errors: ['weak_password', 'conflict'],
  },
  beginTotp: {
    ...proven,
    method: 'POST',
    path: '/account/totp',
    summary: 'Get a secret for one-time codes, which counts once a code has confirmed it',
    status: 201,
    reply: Type.Object({
      totp: Type.Object({ secret: Type.String(), uri: Type.String(), qr_svg: Type.String(), ticket: Type.String() }),
    }),
    errors: [],
  },
  confirmTotp: {
    ...proven,
    method: 'POST',
    path: '/account/totp/confirm',
    summary: 'Confirm the secret of one-time codes; recovery codes come with the first second factor',
    body: closedObject({ ticket: Type.String({ maxLength: 512 }), code: Type.String({ maxLength: 32 }) }),
    status: 201,
    reply: RecoveryCodes,
    errors: ['wrong_credentials', 'conflict'],
  },
  makeRecoveryCodes: {
    ...proven,
    method: 'POST',
    path: '/account/recovery_codes',
    summary: 'Replace the recovery codes, which are shown once',
    status: 201,
    reply: RecoveryCodes,
    errors: [],
  },
  askForPasskey: {
    ...proven,
    method: 'POST',
    path: '/account/passkeys/options',
    summary: 'Get what a browser needs to make a passkey',
    status: 200,
    reply: Type.Object({ options: Opaque }),
    errors: ['unsupported_error'],
  },
  addPasskey: {
    ...proven,
    method: 'POST',
    path: '/account/passkeys',
    summary: 'Add the passkey that the browser has made',
    body: closedObject({ name: Name, response: Opaque }),
    status: 201,
    reply: Type.Object({ credential: Credential, recovery_codes: nullable(Type.Array(Type.String())) }),
    errors: ['uniqueness_error', 'conflict'],
  },
  linkIdentity: {
    ...proven,
    method: 'POST',
    path: '/account/identities',
    summary: 'Begin to link an identity: the address at the identity provider to which the browser goes',
    status: 201,
    reply: Type.Object({ url: Type.String() }),
    errors: ['unsupported_error'],
  },
  sessions: {
    ...own,
    method: 'GET',
    path: '/account/sessions',
    summary: 'List the sessions',
    status: 200,
    reply: Type.Object({ sessions: Type.Array(Session) }),
    errors: [],
  },
  endSession: {
    ...own,
    method: 'DELETE',
    path: '/account/sessions/{id}',
    title: 'session',
    summary: 'End a session',
    status: 204,
    errors: [],
  },
  endOtherSessions: {
    ...own,
    method: 'DELETE',
    path: '/account/sessions',
    summary: 'End all other sessions',
    status: 204,
    errors: [],
  },
  askForProof: {
    ...own,
    method: 'POST',
    path: '/account/elevate/options',
    summary: 'Get what a browser needs to prove a passkey',
    status: 200,
    reply: Type.Object({ options: Opaque }),
    errors: ['unsupported_error'],
  },
  elevate: {
    ...own,
    method: 'POST',
    path: '/account/elevate',
    summary: 'Prove once more who you are, with one of password, one-time code and passkey; counts for 10 minutes',
    body: closedObject({
      password: Type.Optional(Password),
      code: Type.Optional(Type.String({ maxLength: 32 })),
      response: Type.Optional(Opaque),
    }),
    status: 200,
    reply: Type.Object({ elevated_until: Timestamp }),
    errors: ['wrong_credentials', 'conflict'],
  },
  acceptInvitation: {
    ...own,
    method: 'POST',
    path: '/account/invitations/accept',
    summary: 'Accept an invitation by the secret of its link',
    body: closedObject({ code: Type.String({ maxLength: 128 }) }),
    status: 200,
    reply: Type.Object({ project_id: Id, role: Type.Enum(roles) }),
    errors: [],
  },
})

export const peopleEndpoints = defineEndpoints({
  ...accountEndpoints,
  people: {
    ...operators,
    method: 'GET',
    path: '/people',
    summary: 'List the people of the installation',
    status: 200,
    reply: Type.Object({ people: Type.Array(Person) }),
    errors: [],
  },
  createPerson: {
    ...operators,
    elevated: true,
    method: 'POST',
    path: '/people',
    summary: 'Create a person, who gets a link to set a password',
    body: closedObject({
      email: Email,
      name: Type.Optional(Name),
      installation_role: Type.Optional(InstallationRole),
    }),
    status: 201,
    reply: Type.Object({ person: Person, link: Link }),
    errors: ['uniqueness_error'],
  },
  updatePerson: {
    ...operators,
    elevated: true,
    method: 'PUT',
    path: '/people/{id}',
    title: 'person',
    summary: 'Change a person, or forbid to sign in',
    body: closedObject({
      name: Type.Optional(Name),
      installation_role: Type.Optional(InstallationRole),
      disabled: Type.Optional(Type.Boolean()),
    }),
    status: 200,
    reply: Type.Object({ person: Person }),
    errors: ['last_admin'],
  },
  makePersonLink: {
    ...operators,
    elevated: true,
    method: 'POST',
    path: '/people/{id}/link',
    title: 'person',
    summary: 'Make a link with which a person sets a new password',
    status: 201,
    reply: Type.Object({ link: Link }),
    errors: ['person_disabled'],
  },
  invitations: {
    family: 'invitations',
    section,
    needs: 'admin',
    method: 'GET',
    path: '/projects/{project_id}/invitations',
    summary: 'List the invitations to a Project that can still be accepted',
    status: 200,
    reply: Type.Object({ invitations: Type.Array(Invitation) }),
    errors: [],
  },
  invite: {
    family: 'invitations',
    section,
    needs: 'admin',
    elevated: true,
    method: 'POST',
    path: '/projects/{project_id}/invitations',
    summary: 'Invite somebody to a Project; without a mail server the link is shown this once',
    body: closedObject({ email: Email, role: GivenRole }),
    status: 201,
    reply: Type.Object({ invitation: Invitation, link: Link }),
    errors: ['resource_limit_exceeded'],
  },
  withdrawInvitation: {
    family: 'invitations',
    section,
    needs: 'admin',
    elevated: true,
    method: 'DELETE',
    path: '/projects/{project_id}/invitations/{id}',
    title: 'invitation',
    summary: 'Withdraw an invitation',
    status: 204,
    errors: [],
  },
})
