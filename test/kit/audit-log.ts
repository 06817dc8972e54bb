/** Reading the audit log in tests, as an administrator of the first Project does. */
import assert from 'node:assert/strict'
import { acrossProjects } from '../../src/kernel/data/scoped.ts'
import type { Answer, Client, World } from './harness.ts'

export interface LoggedEntry {
  readonly id: number
  readonly time: string
  readonly actor: { readonly kind: string; readonly id: number | null; readonly name: string }
  readonly project: { readonly id: number; readonly name: string } | null
  readonly operation: string
  readonly family: string
  readonly resources: readonly (number | string)[]
  readonly actions: readonly number[]
  readonly outcome: string
  readonly status: number
  readonly correlation_id: string
  readonly network: string
}

/** The id of the first Project. */
export async function firstProject({ db }: World): Promise<number> {
  const row = await acrossProjects(db.query).selectFrom('project').select('id').orderBy('id').executeTakeFirst()
  return row!.id
}

/** The address of something of the first Project below `/wolke/v1`, for people. */
export async function ofProject(world: World, path: string): Promise<string> {
  return `${new URL(world.baseUrl).origin}/console/api/wolke/v1/projects/${await firstProject(world)}${path}`
}

/** The newest entries of the first Project, newest first, with what was to be written. */
export async function logged(world: World, query = '', reader: Client = world.as('admin')): Promise<LoggedEntry[]> {
  await world.app.auditLog.flush()
  const answer = await reader.get(await ofProject(world, `/audit?per_page=1000${query && `&${query}`}`))
  assert.equal(answer.status, 200, answer.text)
  return answer.body.audit
}

/** The entries that one request left. */
export async function entriesOf(world: World, { headers }: Answer): Promise<LoggedEntry[]> {
  const id = headers.get('x-correlation-id')
  return (await logged(world)).filter(({ correlation_id }) => correlation_id === id)
}
