/** The roles that callers have in a Project. Each role includes those before it. */

/**
 * `viewer` reads everything but secrets; `restricted` also changes resources; `member` also creates, deletes and
 * resizes what costs money; `admin` also manages members and API tokens; `owner` also transfers and deletes the Project.
 */
export const roles = ['viewer', 'restricted', 'member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/**
 * The callers that an endpoint admits: a role in the Project of the call; any `person` who is signed in; an `operator`,
 * which is an administrator of the installation or a management token; `anyone` with valid credentials; or `nobody` in
 * particular, without credentials.
 */
export type Need = Role | 'person' | 'operator' | 'anyone' | 'nobody'

/** Tells whether somebody with the role `has` may do what needs `needs`. */
export function covers(has: Role, needs: Role): boolean {
  return roles.indexOf(has) >= roles.indexOf(needs)
}

/** Tells whether a need is a role in a Project. */
export function isRole(need: Need): need is Role {
  return (roles as readonly string[]).includes(need)
}
