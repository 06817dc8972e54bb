/** Statements on who belongs to which Project, in which role. A Project has at most one owner at any time. */
import { covers, type Role, roles } from '../../kernel/access/roles.ts'
import { drawId, type Queries, type Transaction } from '../../kernel/data/db.ts'
import { acrossProjects, scoped } from '../../kernel/data/scoped.ts'
import { timestamp } from '../../kernel/process/clock.ts'
import type { ProjectId, ProjectScope } from '../../kernel/scope.ts'
import type { MembershipRow } from '../tables.ts'

/** The role of a person in a Project; undefined when the person does not belong to it. */
export async function roleIn(query: Queries, scope: ProjectScope, personId: number): Promise<Role | undefined> {
  const row = await scoped(query, scope)
    .selectFrom('membership')
    .select('role')
    .where('person_id', '=', personId)
    .executeTakeFirst()
  return row?.role
}

/** The roles of a person by Project. */
export async function rolesOf(query: Queries, personId: number): Promise<Map<ProjectId, Role>> {
  const rows = await acrossProjects(query)
    .selectFrom('membership')
    .select(['project_id', 'role'])
    .where('person_id', '=', personId)
    .orderBy('project_id')
    .execute()
  return new Map(rows.map(({ project_id, role }) => [project_id, role]))
}

export async function membersOf(query: Queries, scope: ProjectScope): Promise<MembershipRow[]> {
  return scoped(query, scope).selectFrom('membership').selectAll().orderBy('id').execute()
}

/** Adds a person to a Project; somebody who belongs to it already keeps their role. Returns whether anything changed. */
export async function addMember(tx: Transaction, scope: ProjectScope, personId: number, role: Role): Promise<boolean> {
  const row = {
    id: await drawId(tx),
    person_id: personId,
    role,
    given_by: 'person' as const,
    created: timestamp(tx.now),
  }
  const { numInsertedOrUpdatedRows } = await scoped(tx.query, scope)
    .insertInto('membership', [row])
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Adds a person to a Project, or raises a role that is lower; returns the role that the person has afterwards. */
export async function raiseMember(
  tx: Transaction,
  scope: ProjectScope,
  personId: number,
  role: Role,
): Promise<Role | undefined> {
  if (await addMember(tx, scope, personId, role)) return role
  await scoped(tx.query, scope)
    .updateTable('membership')
    .set({ role, given_by: 'person' })
    .where('person_id', '=', personId)
    .where(
      'role',
      'in',
      roles.filter((one) => covers(role, one)),
    )
    .execute()
  return roleIn(tx.query, scope, personId)
}

/** Gives a member who is not the owner another role; false when there is no such member. */
export async function setRole(
  tx: Transaction,
  scope: ProjectScope,
  personId: number,
  role: Exclude<Role, 'owner'>,
): Promise<boolean> {
  const { numUpdatedRows } = await scoped(tx.query, scope)
    .updateTable('membership')
    .set({ role, given_by: 'person' })
    .where('person_id', '=', personId)
    .where('role', '<>', 'owner')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Removes a member who is not the owner; false when there is no such member. */
export async function removeMember(tx: Transaction, scope: ProjectScope, personId: number): Promise<boolean> {
  const { numDeletedRows } = await scoped(tx.query, scope)
    .deleteFrom('membership')
    .where('person_id', '=', personId)
    .where('role', '<>', 'owner')
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/**
 * Makes a member the owner and the previous owner an admin; false when the person does not belong to the Project. The caller
 * holds the lock of the Project, as nobody may leave it meanwhile.
 */
export async function transferOwnership(tx: Transaction, scope: ProjectScope, personId: number): Promise<boolean> {
  if ((await roleIn(tx.query, scope, personId)) === undefined) return false
  const members = () => scoped(tx.query, scope).updateTable('membership')
  await members().set({ role: 'admin' }).where('role', '=', 'owner').execute()
  const promoted = members().set({ role: 'owner', given_by: 'person' }).where('person_id', '=', personId)
  return (await promoted.executeTakeFirst()).numUpdatedRows > 0n
}

/** The role of a person in a Project before and after a change. */
export interface RoleChange {
  readonly before: Role | undefined
  readonly after: Role | undefined
}

/** Gives a person the role that groups give in a Project, or takes it away; what people gave by hand and owners stay. */
export async function setGroupRole(
  tx: Transaction,
  scope: ProjectScope,
  personId: number,
  role: Exclude<Role, 'owner'> | undefined,
): Promise<RoleChange> {
  const before = await roleIn(tx.query, scope, personId)
  if (role !== undefined) await addByGroup(tx, scope, personId, role)
  else {
    await scoped(tx.query, scope)
      .deleteFrom('membership')
      .where('person_id', '=', personId)
      .where('given_by', '=', 'group')
      .where('role', '<>', 'owner')
      .execute()
  }
  return { before, after: await roleIn(tx.query, scope, personId) }
}

async function addByGroup(
  tx: Transaction,
  scope: ProjectScope,
  personId: number,
  role: Exclude<Role, 'owner'>,
): Promise<void> {
  const own = scoped(tx.query, scope)
  const row = {
    id: await drawId(tx),
    person_id: personId,
    role,
    given_by: 'group' as const,
    created: timestamp(tx.now),
  }
  await own
    .insertInto('membership', [row])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await own
    .updateTable('membership')
    .set({ role })
    .where('person_id', '=', personId)
    .where('given_by', '=', 'group')
    .where('role', '<>', 'owner')
    .execute()
}

/** The Projects in which a person has a role that groups gave. */
export async function groupProjects(query: Queries, personId: number): Promise<ProjectId[]> {
  const rows = acrossProjects(query).selectFrom('membership').select('project_id').where('person_id', '=', personId)
  return (await rows.where('given_by', '=', 'group').execute()).map(({ project_id }) => project_id)
}

/** Returns the owners of Projects. */
export async function ownersOf(query: Queries, ids: readonly ProjectId[]): Promise<Map<ProjectId, number>> {
  if (ids.length === 0) return new Map()
  const rows = await acrossProjects(query)
    .selectFrom('membership')
    .select(['project_id', 'person_id'])
    .where('project_id', 'in', ids)
    .where('role', '=', 'owner')
    .execute()
  return new Map(rows.map(({ project_id, person_id }) => [project_id, person_id]))
}

/** Counts the members of some Projects; those without any are left out. */
export async function countMembers(query: Queries, ids: readonly ProjectId[]): Promise<Map<ProjectId, number>> {
  if (ids.length === 0) return new Map()
  const rows = await acrossProjects(query)
    .selectFrom('membership')
    .select(({ fn }) => ['project_id', fn.countAll().as('members')])
    .where('project_id', 'in', ids)
    .groupBy('project_id')
    .execute()
  return new Map(rows.map(({ project_id, members }) => [project_id, Number(members)]))
}

export async function hasOwner(query: Queries, scope: ProjectScope): Promise<boolean> {
  const row = await scoped(query, scope)
    .selectFrom('membership')
    .select('id')
    .where('role', '=', 'owner')
    .executeTakeFirst()
  return row !== undefined
}
