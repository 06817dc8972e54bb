/** API tokens (spec: Authentication), and who a token stands for. */
import { noteTouched } from '../audit/note.ts'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { drawId } from '../data/db.ts'
import { acrossProjects, scoped } from '../data/scoped.ts'
import { notFound } from '../errors.ts'
import { parseId } from '../ids.ts'
import { type ClockEvent, timestamp } from '../process/clock.ts'
import { eventsOfRows, firstEvents } from '../resource/clock-events.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { findManagementToken } from './management-tokens.ts'
import { type Actor, type Identity, type Principal, principalIn } from './principal.ts'
import { enterProject } from './projects.ts'
import { type ScopeText, toTokenScope } from './token-scope.ts'
import { generateToken, hashToken, isManagementToken, isTokenShaped, tailOf } from './token-text.ts'

export interface TokenRow {
  readonly id: number
  readonly project_id: ProjectId
  readonly name: string
  readonly hash: string
  /** Last four characters of the token, which tell tokens apart in a list. */
  readonly tail: string
  readonly read_only: 0 | 1
  readonly created: string
  /** 1 for the token set by the operator (`wolke serve --token`); a Project has at most one. */
  readonly given: 0 | 1
  /** The expiry in ms since the epoch; null for never. */
  readonly expires: number | null
  /** The time in ms since the epoch; up to a minute late. */
  readonly last_used: number | null
  /** The actor that made it, as JSON; null for the operator of the machine. */
  readonly creator: string | null
  /** The limits as JSON; null for none. */
  readonly scope: string | null
  /** The token that it replaces, which stays until it is revoked. */
  readonly rotates: number | null
}

/** The maker of a token. */
export type Creator = Pick<Actor, 'kind' | 'id' | 'name'>

/** A token as lists show it. */
export interface ListedToken extends Omit<TokenRow, 'hash' | 'scope' | 'creator'> {
  readonly scope: ScopeText | null
  readonly creator: Creator | null
}

declare module '../data/db.ts' {
  interface TenantTables {
    token: TokenRow
  }
}

export interface NewToken {
  readonly projectId: ProjectId
  readonly name: string
  readonly readOnly: boolean
  readonly created: string
  /** Stored instead of a random token. */
  readonly token?: string
  /** Expiry in ms since the epoch. */
  readonly expires?: number | null
  readonly scope?: ScopeText | null
  readonly creator?: Creator | null
  readonly rotates?: number | null
}

/**
 * Stores a token and returns its text, which cannot be read again later. The caller holds the lock of the Project, or has
 * made it in this transaction.
 */
export async function createToken(tx: Transaction, given: NewToken): Promise<string> {
  return (await storeToken(tx, given)).token
}

async function storeToken(tx: Transaction, given: NewToken): Promise<{ id: number; token: string }> {
  const token = given.token ?? generateToken()
  const { expires = null, scope, creator, rotates = null } = given
  const id = await drawId(tx)
  await acrossProjects(tx.query)
    .insertInto('token')
    .values({
      id,
      project_id: given.projectId,
      name: given.name,
      hash: hashToken(token),
      tail: tailOf(token),
      read_only: given.readOnly ? 1 : 0,
      created: given.created,
      given: 0,
      expires,
      last_used: null,
      creator: creator ? JSON.stringify(creator) : null,
      scope: scope ? JSON.stringify(scope) : null,
      rotates,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
  noteTouched(tx, id)
  return { id, token }
}

/** The token set by the operator already exists with other rights. */
export class TokenTaken extends Error {}

/**
 * Makes `token` the one set by the operator for a Project. The previous one stops working at once in this process and
 * within 5 s in others. The caller holds the lock of the Project, or has made it in this transaction. Returns whether
 * anything changed. Errors: `TokenTaken` when the token is read-only or belongs to another Project.
 */
export async function giveToken(
  tx: Transaction,
  scope: ProjectScope,
  token: string,
  created: string,
): Promise<boolean> {
  const hash = hashToken(token)
  const known = await acrossProjects(tx.query)
    .selectFrom('token')
    .select(['project_id', 'read_only', 'given'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (known && known.project_id !== scope.projectId) throw new TokenTaken('this token belongs to another Project')
  if (known?.read_only) throw new TokenTaken('this token is read-only')
  const ofProject = scoped(tx.query, scope).deleteFrom('token')
  const { numDeletedRows } = await ofProject.where('given', '=', 1).where('hash', '<>', hash).executeTakeFirst()
  if (!known) await createToken(tx, { projectId: scope.projectId, name: 'default', readOnly: false, created, token })
  await acrossProjects(tx.query).updateTable('token').set({ given: 1 }).where('hash', '=', hash).execute()
  return numDeletedRows > 0n || Number(known?.given ?? 0) !== 1
}

/** Tells whether a text is a token of any Project. */
export async function isTokenKnown(query: Queries, token: string): Promise<boolean> {
  const rows = acrossProjects(query).selectFrom('token').select('id').where('hash', '=', hashToken(token))
  return (await rows.executeTakeFirst()) !== undefined
}

const shownColumns = [
  ...(['token.id', 'token.project_id', 'token.name', 'tail', 'read_only', 'token.created', 'given'] as const),
  ...(['expires', 'last_used', 'creator', 'scope', 'rotates'] as const),
] as const

/** The tokens of all Projects, with the names of these. */
export async function listTokens(query: Queries): Promise<(ListedToken & { readonly project: string })[]> {
  const rows = await acrossProjects(query)
    .selectFrom('token')
    .innerJoin('project', 'project.id', 'token.project_id')
    .select(shownColumns)
    .select('project.name as project')
    .orderBy('token.id')
    .execute()
  return rows.map((row) => ({ ...row, ...parsed(row) }))
}

/** The tokens of a Project, oldest first. */
export async function tokensOf(query: Queries, scope: ProjectScope): Promise<ListedToken[]> {
  const rows = await scoped(query, scope).selectFrom('token').select(shownColumns).orderBy('id').execute()
  return rows.map((row) => ({ ...row, ...parsed(row) }))
}

/** Errors: `not_found`. */
export async function tokenOf(query: Queries, scope: ProjectScope, id: number): Promise<ListedToken> {
  const rows = scoped(query, scope).selectFrom('token').select(shownColumns)
  const row = await rows.where('id', '=', id).executeTakeFirst()
  if (!row) throw notFound('token', id)
  return { ...row, ...parsed(row) }
}

function parsed({ scope, creator }: Pick<TokenRow, 'scope' | 'creator'>): Pick<ListedToken, 'scope' | 'creator'> {
  return {
    scope: scope === null ? null : (JSON.parse(scope) as ScopeText),
    creator: creator === null ? null : (JSON.parse(creator) as Creator),
  }
}

/** Makes a token of a Project; its text cannot be read again later. Errors: `not_found` for the Project. */
export async function addToken(
  tx: Transaction,
  scope: ProjectScope,
  given: Omit<NewToken, 'projectId' | 'created' | 'token'>,
): Promise<{ listed: ListedToken; token: string }> {
  await enterProject(tx, scope)
  const { id, token } = await storeToken(tx, { ...given, projectId: scope.projectId, created: timestamp(tx.now) })
  return { listed: await tokenOf(tx.query, scope, id), token }
}

/** Makes a second token with the rights of another one; both work until one of them is revoked. Errors: as `addToken`. */
export async function rotateToken(
  tx: Transaction,
  scope: ProjectScope,
  { id, name, read_only, scope: limits }: ListedToken,
  given: Pick<NewToken, 'creator' | 'expires'>,
): Promise<{ listed: ListedToken; token: string }> {
  return addToken(tx, scope, { ...given, name, readOnly: read_only === 1, scope: limits, rotates: id })
}

/** Errors: `not_found`. */
export async function renameToken(
  tx: Transaction,
  scope: ProjectScope,
  id: number,
  name: string,
): Promise<ListedToken> {
  await scoped(tx.query, scope).updateTable('token').set({ name }).where('id', '=', id).execute()
  return tokenOf(tx.query, scope, id)
}

/** Revokes a token of a Project. Servers notice within 5 s. Errors: `not_found`. */
export async function removeToken(tx: Transaction, scope: ProjectScope, id: number): Promise<void> {
  const { numDeletedRows } = await scoped(tx.query, scope).deleteFrom('token').where('id', '=', id).executeTakeFirst()
  if (numDeletedRows === 0n) throw notFound('token', id)
}

/** Revokes a token by its id or its text; undefined when it does not exist. Servers notice within 5 s. */
export async function revokeToken(
  tx: Transaction,
  idOrToken: string,
): Promise<Pick<TokenRow, 'id' | 'project_id'> | undefined> {
  const statement = acrossProjects(tx.query).deleteFrom('token').returning(['id', 'project_id'])
  return isTokenShaped(idOrToken)
    ? statement.where('hash', '=', hashToken(idOrToken)).executeTakeFirst()
    : statement.where('id', '=', parseId(idOrToken) ?? 0).executeTakeFirst()
}

const identified = ['id', 'name', 'project_id', 'read_only', 'expires', 'scope'] as const

/** The principal of an API token in its Project. */
function principalOf(row: Pick<TokenRow, (typeof identified)[number]>): Principal {
  const limits = row.scope === null ? undefined : toTokenScope(JSON.parse(row.scope))
  const identity: Identity = {
    actor: { kind: 'token', id: row.id, name: row.name },
    roles: new Map([[row.project_id, row.read_only === 1 ? 'viewer' : 'member']]),
    isOperator: false,
    elevatedUntil: 0,
    bucket: `project:${row.project_id}`,
    ...(row.expires === null ? {} : { expires: row.expires }),
    ...(limits ? { limits } : {}),
  }
  return principalIn(identity, row.project_id)
}

/** The principal of a token by its id, if it exists and has not expired, for sessions that were made with it. */
export async function principalOfToken(query: Queries, id: number, nowMs: number): Promise<Principal | undefined> {
  const rows = acrossProjects(query).selectFrom('token').select(identified)
  const row = await rows.where('id', '=', id).executeTakeFirst()
  const principal = row && principalOf(row)
  return principal && isInTime(principal, nowMs) ? principal : undefined
}

function isInTime({ expires }: Identity, nowMs: number): boolean {
  return expires === undefined || nowMs < expires
}

const cacheMs = 3_000
const maxCached = 10_000

/** The tables of tokens. */
type TokenTable = 'token' | 'management_token'

/**
 * Finds the principal of a token. Principals are cached for 3 s, so that a revocation takes effect everywhere within 5
 * s; an expiry does at once. Every lookup notes that the token is in use; `writeUses` writes that down for all of them.
 */
export class Authenticator {
  readonly #db: Database
  readonly #now: () => number
  readonly #wallNow: () => number
  readonly #keepsAnswers: boolean
  readonly #known = new Map<string, { principal: Principal; until: number }>()
  /** The times of the latest lookups since uses were last written, by table and id. */
  #uses: Record<TokenTable, Map<number, number>> = { token: new Map(), management_token: new Map() }

  /**
   * `now` is a monotonic clock and `wallNow` the calendar's, both in milliseconds. Every lookup reads the database unless it
   * keeps answers.
   */
  constructor(
    db: Database,
    now: () => number = () => performance.now(),
    wallNow: () => number = () => Date.now(),
    keepsAnswers = true,
  ) {
    this.#db = db
    this.#now = now
    this.#wallNow = wallNow
    this.#keepsAnswers = keepsAnswers
  }

  /** The cached principal, without a lookup. */
  cached(token: string): Principal | undefined {
    const entry = this.#known.get(token)
    if (!entry || entry.until <= this.#now()) return undefined
    const { principal } = entry
    return principal.expires === undefined || this.#wallNow() < principal.expires ? principal : undefined
  }

  async find(token: string): Promise<Principal | undefined> {
    if (!isTokenShaped(token)) return undefined
    const asked = this.#now()
    const principal = isManagementToken(token) ? await this.#findManagement(token) : await this.#findOfProject(token)
    this.#known.delete(token)
    if (!principal || !isInTime(principal, this.#wallNow())) return undefined
    this.#uses[principal.actor.kind === 'token' ? 'token' : 'management_token'].set(principal.actor.id, this.#wallNow())
    if (!this.#keepsAnswers) return principal
    if (this.#known.size >= maxCached) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(token, { principal, until: asked + cacheMs })
    return principal
  }

  /** Looks a token up again at its next request. */
  forget(token: string): void {
    this.#known.delete(token)
  }

  /** Writes down when tokens were used. A background job calls it once a minute. */
  async writeUses(): Promise<void> {
    const uses = this.#uses
    this.#uses = { token: new Map(), management_token: new Map() }
    for (const table of ['token', 'management_token'] as const) {
      const inOrder = [...uses[table]].sort(([a], [b]) => a - b)
      for (let from = 0; from < inOrder.length; from += usesAtOnce) {
        await this.#writeSome(table, inOrder.slice(from, from + usesAtOnce))
      }
    }
  }

  async #writeSome(table: TokenTable, uses: readonly (readonly [number, number])[]): Promise<void> {
    await this.#db.transact(async (tx) => {
      for (const [id, last_used] of uses) {
        const update = acrossProjects(tx.query).updateTable(table).set({ last_used }).where('id', '=', id)
        await update.where((row) => row.or([row('last_used', 'is', null), row('last_used', '<', last_used)])).execute()
      }
    })
  }

  async #findOfProject(token: string): Promise<Principal | undefined> {
    const rows = acrossProjects(this.#db.query).selectFrom('token').select(identified)
    const row = await rows.where('hash', '=', hashToken(token)).executeTakeFirst()
    return row && principalOf(row)
  }

  async #findManagement(token: string): Promise<Principal | undefined> {
    const identity = await findManagementToken(this.#db.query, token)
    return identity && principalIn(identity, undefined)
  }
}

/** The number of tokens whose use one transaction writes. */
const usesAtOnce = 100

/** The next times at which tokens of Projects and of the installation end, in order. */
export async function tokenEnds(query: Queries, afterMs: number, limit: number): Promise<ClockEvent[]> {
  const ends = { column: 'expires', holds: 'milliseconds', event: 'token_ends' } as const
  const ofInstallation = { ...ends, table: 'management_token', type: 'management_token', isOfNobody: true } as const
  const found = [
    eventsOfRows(query, { ...ends, table: 'token', type: 'token' }, afterMs, limit),
    eventsOfRows(query, ofInstallation, afterMs, limit),
  ]
  return firstEvents(await Promise.all(found), limit)
}
