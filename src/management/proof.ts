/** A request for each endpoint of the management API, and a way to provoke each error that does not follow from its shape. */
import type { Answer, Client, World } from '../../test/kit/harness.ts'
import { done, unique } from '../../test/kit/proof.ts'
import { samples } from '../../test/kit/proofs.ts'
import { createManagementToken } from '../kernel/access/management-tokens.ts'
import { createProject } from '../kernel/access/projects.ts'
import type { Role } from '../kernel/access/roles.ts'
import { wolkeBase } from '../kernel/contract/bases.ts'
import type { Endpoint } from '../kernel/contract/contract.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { changeOwner, queueMail } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import type { ProjectId } from '../kernel/scope.ts'
import { addMember } from '../people/memberships/membership-store.ts'
import { createPerson } from '../people/person-store.ts'
import type { managementEndpoints } from './contract.ts'
import { countedPaths } from './store.ts'

type Key = keyof typeof managementEndpoints

/** The Project and the token that paths name. */
export interface SamplePaths {
  readonly project: number
  readonly token: number
  /** A member who is not the owner. */
  readonly person: number
  /** Mail that was written to the log. */
  readonly mail: number
}

/** The path of an endpoint with the ids of a place. */
export function pathIn(place: SamplePaths, { path }: Pick<Endpoint, 'path'>): string {
  return path
    .replace('{project_id}', `${place.project}`)
    .replace('{token_id}', `${place.token}`)
    .replace('{person_id}', `${place.person}`)
    .replace('{mail_id}', `${place.mail}`)
}

/** The URL of an endpoint. */
export function urlOf({ baseUrl }: World, endpoint: Pick<Endpoint, 'path'>, place: SamplePaths): string {
  return `${new URL(baseUrl).origin}${wolkeBase}${pathIn(place, endpoint)}`
}

/** A client with a new management token. */
export async function manager({ db, client }: World): Promise<Client> {
  const given = { name: unique('automation'), created: '2026-11-21T12:00:00Z' }
  return client((await db.transact((tx) => createManagementToken(tx, given))).token)
}

/** A new Project without resources. */
export async function emptyProject({ db }: World): Promise<ProjectId> {
  return (await db.transact((tx) => createProject(tx, unique('project'), timestamp(tx.now)))).id
}

/** Adds a new person to a Project. */
export function newMember({ db }: World, project: number, role: Role = 'viewer'): Promise<number> {
  return db.transact(async (tx) => {
    const { id } = await createPerson(tx, { email: `${unique('member')}@example.com`, name: 'A Member' })
    await addMember(tx, { projectId: project as ProjectId }, id, role)
    return id
  })
}

/** A Project with a token, a member and a mail of it. */
export async function placeIn(world: World, project: number): Promise<SamplePaths> {
  const nowhere = { project, token: 0, person: 0, mail: 0 }
  const api = await manager(world)
  const tokens = urlOf(world, { path: '/projects/{project_id}/tokens' }, nowhere)
  const { token } = await done(api.post(tokens, { name: unique('token'), access: 'read' }))
  await loggedMail(world, project)
  const { mail } = await done(api.get(`${urlOf(world, { path: '/installation/mail' }, nowhere)}?per_page=1`))
  return { project, token: token.id, person: await newMember(world, project), mail: mail[0].id }
}

/** Queues mail for the owner of a Project, which is written to the log. */
export async function loggedMail({ db, app }: World, project: number): Promise<void> {
  const scope = { projectId: project as ProjectId }
  const content = { subject: 'A certificate ends', paragraphs: ['It ends.'], facts: {} }
  await db.transact(async (tx) => {
    await changeOwner(tx, scope, 'ops@example.com')
    await queueMail(tx, { scope, event: unique('event') }, content)
  })
  await app.mailer.run()
}

/** Bodies by endpoint; those that are missing need none. */
export const bodies: Readonly<Partial<Record<Key, (place: SamplePaths) => Record<string, unknown>>>> = {
  createProject: () => ({ name: unique('project'), owner_email: 'ops@example.com' }),
  updateProject: () => ({ name: unique('project') }),
  createToken: () => ({
    name: 'ci',
    access: 'read_write',
    scope: { verbs: ['read'] },
    expires: '2027-01-01T00:00:00Z',
  }),
  renameToken: () => ({ name: 'deploy' }),
  rotateToken: () => ({}),
  addMember: ({ person }) => ({ person_id: person, role: 'restricted' }),
  changeMember: () => ({ role: 'restricted' }),
  transferProject: ({ person }) => ({ person_id: person }),
  setLimits: () => ({ limits: { servers: 3 } }),
}

type Scenario = (world: World, api: Client, place: SamplePaths) => Promise<Answer>

const taken: (method: 'post' | 'put', path: string) => Scenario = (method, path) => async (world, api, place) => {
  const name = unique('project')
  await done(api.post(urlOf(world, { path: '/projects' }, place), { name }))
  return api[method](urlOf(world, { path }, place), { name })
}

const onOwner: (method: 'put' | 'delete') => Scenario = (method) => async (world, api) => {
  const project = await emptyProject(world)
  const place = { project, token: 0, person: await newMember(world, project, 'owner'), mail: 0 }
  const url = urlOf(world, { path: '/projects/{project_id}/members/{person_id}' }, place)
  return method === 'put' ? api.put(url, { role: 'admin' }) : api.delete(url)
}

const full: (path: string) => Scenario = (path) => async (world, api, place) => {
  await samples[countedPaths[0]!]!.prepare(world)
  return api.delete(urlOf(world, { path }, place))
}

/** Errors by endpoint and code. */
export const errors: Readonly<Partial<Record<Key, Partial<Record<ErrorCode, Scenario>>>>> = {
  createProject: { uniqueness_error: taken('post', '/projects') },
  updateProject: { uniqueness_error: taken('put', '/projects/{project_id}') },
  listMembers: {
    forbidden: (world, _, place) => world.api.get(urlOf(world, { path: '/projects/{project_id}/members' }, place)),
  },
  addMember: {
    async member_is_owner(world, api) {
      const project = await emptyProject(world)
      const person = await newMember(world, project, 'owner')
      const url = urlOf(world, { path: '/projects/{project_id}/members' }, { project, token: 0, person, mail: 0 })
      return api.post(url, { person_id: person, role: 'admin' })
    },
  },
  changeMember: { member_is_owner: onOwner('put') },
  removeMember: { member_is_owner: onOwner('delete') },
  deleteProject: { project_not_empty: full('/projects/{project_id}') },
  deleteInstalledProject: { project_not_empty: full('/installation/projects/{project_id}') },
  retryMail: {
    async mail_not_retryable(world, api, place) {
      const url = urlOf(world, { path: '/installation/mail/{mail_id}/retry' }, place)
      await done(api.post(url))
      return api.post(url)
    },
  },
}
