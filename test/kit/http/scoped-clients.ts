/** Clients with scoped tokens of the first Project. */
import type { ScopeText } from '../../../src/kernel/access/token-scope.ts'
import { createToken } from '../../../src/kernel/access/tokens.ts'
import { acrossProjects } from '../../../src/kernel/data/scoped.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import type { Client, World } from '../harness.ts'

/** The first Project of a world. */
export async function firstProject({ db }: Pick<World, 'db'>): Promise<ProjectId> {
  const projects = acrossProjects(db.query).selectFrom('project').select('id').orderBy('id')
  return (await projects.executeTakeFirstOrThrow()).id
}

const made = new WeakMap<object, Map<string, Promise<Client>>>()

/** A client whose token is limited to a scope; the same one for the same scope. */
export function scopedClient(...[world, scope, more = {}]: Parameters<typeof makeClient>): Promise<Client> {
  const known = made.get(world.db) ?? new Map<string, Promise<Client>>()
  made.set(world.db, known)
  const key = JSON.stringify([scope, more])
  const client = known.get(key) ?? makeClient(world, scope, more)
  known.set(key, client)
  return client
}

async function makeClient(
  world: Pick<World, 'db' | 'client'>,
  scope: ScopeText,
  more: { readonly readOnly?: boolean; readonly expires?: number } = {},
): Promise<Client> {
  const projectId = await firstProject(world)
  const given = { projectId, name: 'scoped', readOnly: false, created: '2026-11-21T12:00:00Z', scope, ...more }
  return world.client(await world.db.transact((tx) => createToken(tx, given)))
}
