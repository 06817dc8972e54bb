/** Every kind of caller that the API knows: programs by their tokens, and browsers by the sessions of people and of tokens. */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { createManagementToken } from '../../../src/kernel/access/management-tokens.ts'
import { isRole, type Need, type Role, roles } from '../../../src/kernel/access/roles.ts'
import type { ScopeText } from '../../../src/kernel/access/token-scope.ts'
import { generateToken } from '../../../src/kernel/access/token-text.ts'
import { addToken, removeToken } from '../../../src/kernel/access/tokens.ts'
import type { Method } from '../../../src/kernel/contract/contract.ts'
import { timestamp } from '../../../src/kernel/process/clock.ts'
import type { ProjectId } from '../../../src/kernel/scope.ts'
import { countedPaths } from '../../../src/management/store.ts'
import { addMember } from '../../../src/people/memberships/membership-store.ts'
import { createPerson, updatePerson } from '../../../src/people/person-store.ts'
import { cookieName } from '../../../src/people/sessions/cookies.ts'
import type { InstallationRole } from '../../../src/people/tables.ts'
import type { Answer, World } from '../../kit/harness.ts'
import { unique } from '../../kit/proof.ts'

/** What of an endpoint decides how it is called and what callers are told. */
export interface Row {
  readonly name: string
  /** Empty for the stream of events, which is at the door of the console alone. */
  readonly base: string
  readonly endpoint: {
    readonly method: Method
    readonly path: string
    readonly needs: Need
    readonly elevated?: boolean
    readonly notForTokens?: true
  }
}

/** As what somebody is let in: nobody, a token that reads or writes, one of the operator, or a person by their role. */
export type Standing = 'nobody' | 'reader' | 'writer' | 'management' | Role | 'outsider' | 'operator'

export interface Caller {
  readonly name: string
  readonly standing: Standing
  readonly door: 'programs' | 'console'
  readonly headers: Readonly<Record<string, string>>
  readonly isToken?: boolean
  readonly scope?: ScopeText
  /** Whether it belongs to another Project. */
  readonly isElsewhere?: boolean
  /** Whether it has not proven itself lately. */
  readonly isUnproven?: boolean
  /** Whether a page of another origin asks in its name. */
  readonly isForged?: boolean
}

interface Token {
  readonly standing: 'reader' | 'writer'
  readonly scope?: ScopeText
  readonly isElsewhere?: true
}

/** Each endpoint is beyond one of two families. */
const oneFamily = { families: countedPaths.slice(-1) }
const otherFamily = { families: countedPaths.slice(-2, -1) }

/** Each is called with, and in the session that it gives on the login page. */
const tokens: Readonly<Record<string, Token>> = {
  'read token': { standing: 'reader' },
  'read token of a family': { standing: 'reader', scope: oneFamily },
  token: { standing: 'writer' },
  'token of another Project': { standing: 'writer', isElsewhere: true },
  'token of a family': { standing: 'writer', scope: oneFamily },
  'token of another family': { standing: 'writer', scope: otherFamily },
  'token that reads': { standing: 'writer', scope: { verbs: ['read'] } },
  'token that makes and changes': { standing: 'writer', scope: { verbs: ['create', 'update', 'delete'] } },
  'token of commands': { standing: 'writer', scope: { verbs: ['actions'] } },
  'token that reboots': { standing: 'writer', scope: { verbs: ['reboot'] } },
  'token with a selector': { standing: 'writer', scope: { label_selector: 'callers.test/seen=yes' } },
}

interface Membership {
  readonly role?: Role
  readonly installationRole?: InstallationRole
}

interface Person extends Membership {
  readonly standing: Role | 'outsider' | 'operator'
  readonly isUnproven?: true
  readonly isForged?: true
}

const people: Readonly<Record<string, Person>> = {
  ...Object.fromEntries(roles.map((role) => [role, { standing: role, role }])),
  'no member': { standing: 'outsider' },
  'administrator of the installation': { standing: 'operator', installationRole: 'admin' },
  'admin without a fresh proof': { standing: 'admin', role: 'admin', isUnproven: true },
  'administrator without a fresh proof': { standing: 'operator', installationRole: 'admin', isUnproven: true },
  'admin on a foreign page': { standing: 'admin', role: 'admin', isForged: true },
}

/** The two Projects of a world. */
export interface Projects {
  readonly own: ProjectId
  readonly other: ProjectId
}

/** Makes one caller of each kind. */
export async function makeCallers(world: World, projects: Projects): Promise<readonly Caller[]> {
  const kit = { world, projects }
  const made: Caller[] = []
  for (const [name, token] of Object.entries(tokens)) made.push(...(await ofToken(kit, name, token)))
  for (const [name, person] of Object.entries(people)) made.push(await ofPerson(kit, name, person))
  return [...made, ...(await ofManagement(kit)), ...(await unknowns(kit))]
}

interface Kit {
  readonly world: World
  readonly projects: Projects
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

function storeToken({ world }: Kit, projectId: ProjectId, { standing, scope }: Token, expires: number | null = null) {
  const given = { name: unique('token'), readOnly: standing === 'reader', scope: scope ?? null, expires }
  return world.db.transact((tx) => addToken(tx, { projectId }, given))
}

/** The headers of a browser of our pages with a new session. */
async function session({ world }: Kit, whose: { personId: number } | { tokenId: number }, elevatedUntil?: number) {
  const { baseUrl, app, db } = world
  const { origin } = new URL(baseUrl)
  const { installation, sessions } = app.people
  const whence = { network: '127.0.0.1', agent: 'test' }
  const given = { ...whose, whence, ...(elevatedUntil === undefined ? {} : { elevatedUntil }) }
  const secret = await db.transact((tx) => sessions.start(tx, given))
  return { cookie: `${cookieName({ origin, installation }, 'session')}=${secret}`, origin }
}

async function ofToken(kit: Kit, name: string, token: Token): Promise<Caller[]> {
  const { own, other } = kit.projects
  const { listed, token: text } = await storeToken(kit, token.isElsewhere ? other : own, token)
  const caller = { ...token, isToken: true }
  return [
    { ...caller, name, door: 'programs', headers: bearer(text) },
    { ...caller, name: `session of a ${name}`, door: 'console', headers: await session(kit, { tokenId: listed.id }) },
  ]
}

function newPerson({ world, projects }: Kit, { role, installationRole = 'none' }: Membership): Promise<number> {
  return world.db.transact(async (tx) => {
    const email = `${unique('caller')}@example.com`
    const { id } = await createPerson(tx, { email, name: 'A Caller', installationRole })
    // Nobody belongs nowhere, so that it is seen whether a role counts in another Project.
    await addMember(tx, { projectId: role ? projects.own : projects.other }, id, role ?? 'admin')
    return id
  })
}

async function ofPerson(kit: Kit, name: string, person: Person): Promise<Caller> {
  const personId = await newPerson(kit, person)
  const headers = await session(kit, { personId }, person.isUnproven ? kit.world.clock.now() : undefined)
  const foreign = person.isForged ? { origin: 'http://elsewhere.example' } : {}
  return { ...person, name, door: 'console', headers: { ...headers, ...foreign } }
}

async function ofManagement({ world: { db, clock } }: Kit): Promise<Caller[]> {
  const given = { name: unique('automation'), created: timestamp(clock.now()) }
  const make = (expires: number | null) => db.transact((tx) => createManagementToken(tx, { ...given, expires }))
  const [management, ended] = [await make(null), await make(clock.now())]
  return [
    { name: 'management token', standing: 'management', door: 'programs', headers: bearer(management.token) },
    { name: 'expired management token', standing: 'nobody', door: 'programs', headers: bearer(ended.token) },
  ]
}

/** Everybody who is let in nowhere. */
async function unknowns(kit: Kit): Promise<Caller[]> {
  const { world, projects } = kit
  const now = world.clock.now()
  const scope = { projectId: projects.own }
  const token = (expires: number | null = null) => storeToken(kit, projects.own, { standing: 'writer' }, expires)
  const [live, expired, revoked] = [await token(), await token(now), await token()]
  const ofRevoked = await session(kit, { tokenId: revoked.listed.id })
  await world.db.transact((tx) => removeToken(tx, scope, revoked.listed.id))
  const mighty = { role: 'admin', installationRole: 'admin' } as const
  const open = await session(kit, { personId: await newPerson(kit, mighty) })
  const disabled = await newPerson(kit, mighty)
  const ofDisabled = await session(kit, { personId: disabled })
  await world.db.transact((tx) => updatePerson(tx, disabled, { disabled: timestamp(tx.now) }))
  const { origin } = new URL(world.baseUrl)
  const programs: [string, Record<string, string>][] = [
    ['nobody', {}],
    ['unknown token', bearer(generateToken())],
    ['unknown management token', bearer(generateToken('management'))],
    ['what is no token', bearer('x'.repeat(64))],
    ['expired token', bearer(expired.token)],
    ['revoked token', bearer(revoked.token)],
    ['session at the door of programs', open],
  ]
  const browsers: [string, Record<string, string>][] = [
    ['browser without a session', { origin }],
    ['unknown session', { ...open, cookie: open.cookie.replace(/=.*/, `=${'x'.repeat(43)}`) }],
    ['session of an expired token', await session(kit, { tokenId: expired.listed.id })],
    ['session of a revoked token', ofRevoked],
    ['session of a disabled person', ofDisabled],
    ['token at the door of the console', { ...bearer(live.token), origin }],
  ]
  const standing = 'nobody' as const
  return [
    ...programs.map(([name, headers]) => ({ name, headers, standing, door: 'programs' as const })),
    ...browsers.map(([name, headers]) => ({ name, headers, standing, door: 'console' as const })),
  ]
}

// ---- Calls ---------------------------------------------------------------------------------------------------------

/** What is asked of an endpoint: the path below its base, with the query, and the body. */
export interface Request {
  readonly path: string
  readonly body?: unknown
}

/** Sends a request through the door of a caller. The console names the Project in the URL where the path does not. */
export function call(world: World, caller: Caller, row: Row, project: number, { path, body }: Request) {
  const { base, endpoint } = row
  const isInProject = isRole(endpoint.needs) && !endpoint.path.includes('{project_id}')
  const inConsole = `/console/api${isInProject ? `/projects/${project}` : ''}`
  const door = caller.door === 'console' ? inConsole : ''
  const url = new URL(world.baseUrl).origin + door + base + path
  const { headers } = caller
  if (base === '') return beginOf(url, headers)
  return world.client(undefined).request(endpoint.method, url, { headers, ...(body === undefined ? {} : { body }) })
}

/** How a stream begins, which does not end by itself. */
async function beginOf(url: string, headers: Caller['headers']): Promise<Answer> {
  const asked = request(url, { headers, agent: false }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  const status = response.statusCode!
  const body = status === 200 ? undefined : await json(response)
  asked.destroy()
  return { path: url, status, headers: new Headers(), text: JSON.stringify(body ?? null), body }
}
