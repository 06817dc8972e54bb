/** The caller of a request, and its rights (spec: Authentication). */

import { ApiError, notFound } from '../errors.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { covers, isRole, type Need, type Role } from './roles.ts'
import { beyondScope, type Operation, type TokenScope } from './token-scope.ts'

declare module '../errors.ts' {
  interface CallCodes {
    elevation_required: 403
  }
}

/** A person, or a program by a token: an API token of a Project or a management token of the installation. */
export interface Actor {
  readonly kind: 'person' | 'token' | 'management'
  readonly id: number
  readonly name: string
}

/** The identity that valid credentials prove. */
export interface Identity {
  readonly actor: Actor
  /** The roles in Projects. An API token that writes has the role `member` in its Project, any other `viewer`. */
  readonly roles: ReadonlyMap<ProjectId, Role>
  readonly isOperator: boolean
  /** The end of a person's fresh proof of identity, in ms since the epoch. Programs always have one. */
  readonly elevatedUntil: number
  /** Key of its rate limit: that of the Project for its tokens, its own for anybody else. */
  readonly bucket: string
  /** The session by which it was found; missing for a token that was sent itself. */
  readonly session?: number
  /** The expiry of its credentials, in ms since the epoch; missing for those that do not expire. */
  readonly expires?: number
  /** The limits of a scoped token. */
  readonly limits?: TokenScope
}

/** An identity in the Project that a request is about, if it is about one. */
export interface Principal extends Identity {
  readonly scope: ProjectScope | undefined
  readonly role: Role | undefined
}

/** The requirements of an endpoint on its callers. */
export interface Guard extends Operation {
  readonly needs: Need
  readonly elevated?: boolean
  /** True when it is closed to API tokens, whatever their rights are. */
  readonly notForTokens?: true
}

/** Headers that say which session a request belongs to, and where the browser is. */
export interface SessionHeaders {
  readonly cookie?: string | undefined
  readonly host?: string | undefined
}

/** The part of an identity by which it is found again later. */
export interface Asker extends Pick<Actor, 'kind' | 'id'> {
  /** Null for a token that was sent itself. */
  readonly session: number | null
}

export function askerOf({ actor: { kind, id }, session }: Identity): Asker {
  return { kind, id, session: session ?? null }
}

export interface Sessions {
  /**
   * Finds who a session belongs to by the cookie of a request; synchronous when it is cached. `isUse` tells whether
   * somebody uses the session, which keeps it alive.
   */
  find(
    headers: SessionHeaders,
    options: { readonly isUse: boolean },
  ): Identity | undefined | Promise<Identity | undefined>
  /** Finds whoever was found by a session before, if it still counts. It is no use of the session. */
  findAgain(asker: Asker): Promise<Identity | undefined>
}

/** The principal of a request that is about a Project, or about none. */
export function principalIn(identity: Identity, projectId: ProjectId | undefined): Principal {
  const role = projectId === undefined ? undefined : identity.roles.get(projectId)
  if (projectId === undefined) return { ...identity, scope: undefined, role }
  const { actor, limits } = identity
  const scope = limits?.within && actor.kind === 'token' ? { projectId, startedBy: actor.id } : { projectId }
  return { ...identity, scope, role }
}

/**
 * The refusal of a call that the caller has no right to; undefined when it has. A Project that it is no member of looks
 * like one that does not exist. Refusals: `forbidden`, `not_found`, `elevation_required`.
 */
export function refusalOf(principal: Principal, guard: Guard, nowMs: number): ApiError | undefined {
  return unauthorized(principal, guard) ?? outOfScope(principal, guard) ?? unproven(principal, guard, nowMs)
}

/** Every token may ask for its own identity. */
function outOfScope({ limits }: Principal, guard: Guard): ApiError | undefined {
  return limits && guard.needs !== 'anyone' ? beyondScope(limits, guard) : undefined
}

function unauthorized(principal: Principal, guard: Guard): ApiError | undefined {
  const refusal = unfit(principal, guard)
  if (refusal || !guard.notForTokens || principal.actor.kind !== 'token') return refusal
  return new ApiError('forbidden', 'this is for people and for management tokens')
}

function unfit({ actor, scope, role, isOperator }: Principal, { needs }: Guard): ApiError | undefined {
  if (needs === 'nobody' || needs === 'anyone') return undefined
  if (needs === 'person')
    return actor.kind === 'person' ? undefined : forbidden(needs, 'this is for people who are signed in')
  if (needs === 'operator')
    return isOperator ? undefined : forbidden(needs, 'this is for operators of the installation')
  if (!isRole(needs) || !scope) return forbidden(needs, 'this is for callers within a Project')
  // The operator's automation administers Projects that it is no member of.
  if (actor.kind === 'management') return undefined
  if (role === undefined) return notFound('Project', scope.projectId)
  return covers(role, needs) ? undefined : forbidden(needs, `this needs the role ${needs}; yours is ${role}`, role)
}

function unproven({ actor, elevatedUntil }: Principal, { elevated }: Guard, nowMs: number): ApiError | undefined {
  if (!elevated || actor.kind !== 'person' || elevatedUntil > nowMs) return undefined
  return new ApiError(
    'elevation_required',
    'prove who you are once more: this needs a sign-in within the last 10 minutes',
    {
      status: 403,
    },
  )
}

function forbidden(needs: string, message: string, role: Role | null = null): ApiError {
  return new ApiError('forbidden', message, { details: { needs, role } })
}
