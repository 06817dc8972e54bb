/** Rows of people and of what belongs to them. Times that are compared are milliseconds since the epoch. */
import type { Role } from '../kernel/access/roles.ts'
import type { ProjectId } from '../kernel/scope.ts'

export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

export type InstallationRole = 'none' | 'admin'

export interface PersonRow {
  readonly id: number
  /** Unique and in lower case. */
  readonly email: string
  readonly name: string
  /** Null follows the browser. */
  readonly language: Language | null
  readonly theme: Theme
  readonly installation_role: InstallationRole
  readonly created: string
  /** The time since which sign-in is refused. */
  readonly disabled: string | null
  /** The time since which the address is known to be theirs; null while nobody has shown it. */
  readonly verified: string | null
}

export const credentialKinds = ['password', 'passkey', 'totp', 'recovery', 'oidc'] as const
export type CredentialKind = (typeof credentialKinds)[number]

/** One way to prove who somebody is. */
export interface CredentialRow {
  readonly id: number
  readonly person_id: number
  readonly kind: CredentialKind
  /**
   * Unique within the kind: the person of a password or of TOTP, the id of a passkey, the hash of a recovery code, issuer
   * and subject of OIDC.
   */
  readonly subject: string
  /** The hash of a password in PHC text, the sealed secret of TOTP, the public key of a passkey as JSON. */
  readonly data: string
  /** The signature counter of a passkey, the last used time step of TOTP. */
  readonly counter: number
  readonly name: string
  readonly created: string
  readonly last_used: string | null
}

export interface MembershipRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly person_id: number
  readonly role: Role
  /** `group` when a group of the identity provider gives the role, which then ends with the group. */
  readonly given_by: 'person' | 'group'
  readonly created: string
}

export interface InvitationRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly email: string
  readonly role: Role
  readonly hash: string
  /** The person who invited, or the management token; the other one is null. */
  readonly inviter_id: number | null
  readonly inviter_token: number | null
  /** 1 when its link went by mail to the address, so that who has it can read that mail. */
  readonly mailed: 0 | 1
  readonly created: string
  readonly expires: number
}

/** A session of a person, or of an API token: one of `person_id` and `token_id` is set. */
export interface SessionRow {
  readonly id: number
  readonly hash: string
  readonly person_id: number | null
  readonly token_id: number | null
  readonly created: string
  readonly last_seen: number
  readonly ends: number
  readonly elevated_until: number
  readonly network: string
  readonly agent: string
}

/** Somebody whose password was right and whose second factor is awaited. Never a session. */
export interface SignInRow {
  readonly id: number
  readonly hash: string
  readonly person_id: number
  /** The path to go on to. */
  readonly next: string
  readonly expires: number
}

export type CeremonyKind =
  | 'passkey-sign-in'
  | 'passkey-add'
  | 'passkey-first'
  | 'passkey-prove'
  | 'totp-add'
  | 'oidc-sign-in'
  | 'oidc-fresh'
  | 'oidc-link'

/** A challenge that one browser has to answer, once. */
export interface CeremonyRow {
  readonly id: number
  /** The hash of the secret of the browser together with the challenge. */
  readonly hash: string
  /** The hash of the secret of the browser; null in rows of an earlier version. */
  readonly browser: string | null
  readonly kind: CeremonyKind
  readonly person_id: number | null
  readonly data: string
  readonly expires: number
}

/**
 * `setup` makes the first administrator; `person` sets a password anew and lets in who has lost everything; `reset` sets a
 * password anew for who can read mail, which replaces no second factor; `tester` signs in without an account.
 */
export type LinkKind = 'setup' | 'person' | 'reset' | 'tester'

export interface LinkRow {
  readonly id: number
  readonly hash: string
  readonly kind: LinkKind
  readonly person_id: number | null
  readonly expires: number
}

/** Mail that waits to be sent; its rows end with it. */
export interface PersonMailRow {
  readonly id: number
  /** The Project whose admins had it sent; null when it is from nobody's. */
  readonly project_id: ProjectId | null
  /** Left part of the Message-ID, the same for all attempts. */
  readonly message_id: string
  /** The letter and its recipient, encrypted, because it has the secret of a link. */
  readonly sealed: string
  readonly created: string
  /** The end of its link, and with it of the attempts to send it. */
  readonly expires: number
  /** Database time in milliseconds: when the next attempt may start, or when the lease of the current one ends. */
  readonly next_attempt_at: number
  /** Increases with each claim. */
  readonly fence: number
  readonly attempts: number
}

/** A record that somebody was written to, for as long as it bounds their mail. */
export interface SentMailRow {
  readonly id: number
  /** The Project that somebody was invited to; null for a link that they asked for. */
  readonly project_id: ProjectId | null
  readonly recipient: string
  readonly sent: number
}

export interface GuessRow {
  readonly subject: string
  readonly failures: number
  readonly since: number
  readonly blocked_until: number
}

declare module '../kernel/data/db.ts' {
  interface Tables {
    person: PersonRow
    credential: CredentialRow
    session: SessionRow
    sign_in: SignInRow
    ceremony: CeremonyRow
    person_link: LinkRow
    guess: GuessRow
    person_mail: PersonMailRow
    person_mail_sent: SentMailRow
  }
  interface TenantTables {
    membership: MembershipRow
    invitation: InvitationRow
  }
}
