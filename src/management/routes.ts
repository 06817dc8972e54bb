/** The management API: one handler for each endpoint. */

import { limitedPaths } from '../families.ts'
import { isPlainName, plainNameRule } from '../kernel/access/names.ts'
import type { Actor, Principal } from '../kernel/access/principal.ts'
import {
  createProject,
  getProject,
  type ProjectRow,
  pageOfProjects,
  projectName,
  projectsByIds,
  renameProject,
} from '../kernel/access/projects.ts'
import { addToken, removeToken, renameToken, rotateToken, tokenOf, tokensOf } from '../kernel/access/tokens.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import { noteProject } from '../kernel/audit/audited.ts'
import { noteTouched } from '../kernel/audit/note.ts'
import type { Handlers } from '../kernel/contract/contract.ts'
import type { Queries } from '../kernel/data/db.ts'
import { invalidInput } from '../kernel/errors.ts'
import { isMailAddress } from '../kernel/mail/address.ts'
import { changeOwner } from '../kernel/mail/outbox.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { setLimits } from '../kernel/resource/limits.ts'
import { pageOf } from '../kernel/resource/listing.ts'
import type { ProjectId, ProjectScope } from '../kernel/scope.ts'
import { addMember } from '../people/memberships/membership-store.ts'
import type { People } from '../people/people.ts'
import { personById } from '../people/person-store.ts'
import type { Platform } from '../platform.ts'
import type { managementEndpoints } from './contract.ts'
import { installationRoutes, type Process } from './installation/routes.ts'
import { holdings } from './limits.ts'
import { memberRoutes } from './members.ts'
import { removeProject } from './projects.ts'
import { grantedBy } from './scopes.ts'
import { countResources } from './store.ts'
import { summarize } from './summary.ts'
import { expiryLike, readExpiry, scopeIn, tokenToWire } from './tokens.ts'

type Managing = Handlers<typeof managementEndpoints>

/** One handler for each endpoint. */
export function managementRoutes(
  platform: Platform,
  people: Pick<People, 'sessions' | 'mail'>,
  process: Process,
  drivers: Drivers,
): Managing {
  return {
    whoami: async ({ caller }) => ({ whoami: await whoIs(platform.db.query, caller) }),
    ...projectRoutes(platform, drivers, people.sessions),
    ...tokenRoutes(platform),
    ...memberRoutes({ db: platform.db, sessions: people.sessions, mail: people.mail }),
    ...limitRoutes(platform),
    ...installationRoutes(platform, people.sessions, process),
  }
}

// ---- Who asks ------------------------------------------------------------------------------------------------------

async function whoIs(query: Queries, { actor, roles, scope, limits, expires, isOperator }: Principal) {
  // A token belongs to one Project, also where its session asks through the console without naming it.
  const [projectId, role] = [...roles].find(([id]) => actor.kind === 'token' || id === scope?.projectId) ?? []
  const name = projectId && (await projectName(query, { projectId }))
  const person = actor.kind === 'person' ? await personById(query, actor.id) : undefined
  return {
    kind: actor.kind,
    id: actor.id,
    name: actor.name,
    display_name: person && person.name !== person.email ? person.name : null,
    project: projectId && name !== undefined ? { id: projectId, name } : null,
    role: role ?? null,
    rights: actor.kind === 'token' ? rightsOf(role === 'viewer', limits) : null,
    expires: expires === undefined ? null : timestamp(expires),
    operator: isOperator,
  }
}

function rightsOf(isReadOnly: boolean, limits: Principal['limits']) {
  return {
    access: isReadOnly ? ('read' as const) : ('read_write' as const),
    ...grantedBy(limits?.text ?? null, isReadOnly),
  }
}

// ---- Projects ------------------------------------------------------------------------------------------------------

type ProjectRoutes = Pick<Managing, 'listProjects' | 'createProject' | 'getProject' | 'updateProject' | 'deleteProject'>

function projectRoutes(platform: Platform, drivers: Drivers, sessions: People['sessions']): ProjectRoutes {
  const { db } = platform
  const toWires = async (query: Queries, caller: Principal, rows: readonly ProjectRow[], isSummarized = false) => {
    const ids = rows.map(({ id }) => id)
    const counts = await countResources(query, ids)
    const isWhole = isSummarized && !caller.limits
    const summaries = isWhole
      ? await summarize(
          platform,
          drivers,
          ids.filter((id) => mayRead(caller, id)),
        )
      : undefined
    return rows.map(({ id, name, owner_email, created }) => ({
      ...{ id, name, created },
      role: caller.roles.get(id) ?? null,
      // The owner, and the number of resources it does not see, are hidden from a scoped token.
      owner_email: caller.limits ? null : owner_email,
      resources: caller.limits ? {} : counts.get(id)!,
      summary: summaries?.get(id) ?? null,
    }))
  }
  const reply = async (query: Queries, caller: Principal, scope: ProjectScope) => {
    const [project] = await toWires(query, caller, [await getProject(query, scope)])
    return { project: project! }
  }
  return {
    async listProjects({ caller, query }) {
      const own = [...caller.roles.keys()]
      const { rows, pagination } = caller.isOperator
        ? await pageOfProjects(db.query, query)
        : pageOf(await projectsByIds(db.query, own), query)
      return { projects: await toWires(db.query, caller, rows, query.summary), meta: { pagination } }
    },
    async createProject({ caller, body: { name, owner_email = null } }) {
      checkProject({ name, owner_email })
      return db.transact(async (tx) => {
        const made = await createProject(tx, name, timestamp(tx.now), owner_email)
        const { id } = made
        noteProject(made, tx)
        const { actor } = caller
        tx.afterCommit(() => sessions.forget())
        if (actor.kind !== 'person') return reply(tx.query, caller, { projectId: id })
        await addMember(tx, { projectId: id }, actor.id, 'owner')
        const owner = { ...caller, roles: new Map(caller.roles).set(id, 'owner') }
        return reply(tx.query, owner, { projectId: id })
      })
    },
    getProject: ({ caller, scope }) => reply(db.query, caller, scope),
    async updateProject({ caller, scope, body }) {
      checkProject(body)
      return db.transact(async (tx) => {
        // Its name so far.
        noteProject(await getProject(tx.query, scope), tx)
        if (body.name !== undefined) await renameProject(tx, scope, body.name)
        if (body.owner_email !== undefined) await changeOwner(tx, scope, body.owner_email)
        noteTouched(tx, scope.projectId)
        return reply(tx.query, caller, scope)
      })
    },
    async deleteProject({ scope }) {
      const project = await getProject(db.query, scope)
      noteProject(project)
      await removeProject(db, project, sessions)
    },
  }
}

/** Operators see how much there is in Projects of others, and no more of it. */
const mayRead = ({ actor, roles }: Principal, id: ProjectId) => actor.kind === 'management' || roles.has(id)

/** Errors: `invalid_input`. */
function checkProject({ name, owner_email }: { name?: string; owner_email?: string | null }): void {
  checkName(name)
  if (typeof owner_email === 'string' && !isMailAddress(owner_email))
    throw invalidInput([{ field: 'owner_email', message: 'must be one plain address, such as ops@example.com' }])
}

function checkName(name: string | undefined): void {
  if (name !== undefined && !isPlainName(name)) throw invalidInput([{ field: 'name', message: plainNameRule }])
}

// ---- Tokens --------------------------------------------------------------------------------------------------------

type TokenRoutes = Pick<Managing, 'listTokens' | 'createToken' | 'renameToken' | 'rotateToken' | 'revokeToken'>

const creatorOf = ({ kind, id, name }: Actor) => ({ kind, id, name })

function tokenRoutes({ db, clock }: Platform): TokenRoutes {
  return {
    async listTokens({ scope }) {
      await getProject(db.query, scope)
      return { tokens: (await tokensOf(db.query, scope)).map(tokenToWire) }
    },
    async createToken({ caller, scope, body: { name, access, scope: given, expires } }) {
      checkName(name)
      const limits = scopeIn(given)
      const until = readExpiry(expires, clock.now())
      return db.transact(async (tx) => {
        const made = {
          name,
          readOnly: access === 'read',
          scope: limits,
          expires: until,
          creator: creatorOf(caller.actor),
        }
        const { listed, token } = await addToken(tx, scope, made)
        return { token: tokenToWire(listed), secret: token }
      })
    },
    async renameToken({ scope, params: { token_id }, body: { name } }) {
      checkName(name)
      return db.transact(async (tx) => ({ token: tokenToWire(await renameToken(tx, scope, token_id, name)) }))
    },
    async rotateToken({ caller, scope, params: { token_id }, body: { expires } }) {
      const until = readExpiry(expires, clock.now())
      return db.transact(async (tx) => {
        const old = await tokenOf(tx.query, scope, token_id)
        const next = expires === undefined ? expiryLike(old, tx.now) : until
        const { listed, token } = await rotateToken(tx, scope, old, { creator: creatorOf(caller.actor), expires: next })
        return { token: tokenToWire(listed), secret: token }
      })
    },
    revokeToken: ({ scope, params: { token_id } }) => db.transact((tx) => removeToken(tx, scope, token_id)),
  }
}

// ---- Limits --------------------------------------------------------------------------------------------------------

function limitRoutes({ db, limits: ofInstallation }: Platform): Pick<Managing, 'getLimits' | 'setLimits'> {
  const reply = async (query: Queries, scope: ProjectScope) => {
    const { id } = await getProject(query, scope)
    const { limits } = (await holdings(query, [id], ofInstallation)).get(id)!
    return { limits }
  }
  return {
    getLimits: ({ scope }) => reply(db.query, scope),
    async setLimits({ params: { project_id }, body: { limits } }) {
      const scope = { projectId: project_id as ProjectId }
      const unknown = Object.keys(limits).filter((kind) => !limitedPaths.includes(kind))
      const known = `known are ${limitedPaths.join(', ')}`
      if (unknown.length > 0)
        throw invalidInput(unknown.map((kind) => ({ field: `limits.${kind}`, message: `is no kind; ${known}` })))
      return db.transact(async (tx) => {
        const given = Object.entries(limits).map(([kind, most]) => [kind, most === 'default' ? undefined : most])
        await setLimits(tx, scope, Object.fromEntries(given))
        return reply(tx.query, scope)
      })
    },
  }
}
