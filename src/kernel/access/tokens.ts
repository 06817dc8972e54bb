/**
 * API tokens (spec: Authentication). A token is shown once and stored only as a hash. Official clients require exactly
 * 64 characters. Tokens made here end in a checksum, so that a mistyped one is refused without a database lookup.
 */

import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Database, Queries, Transaction } from '../data/db.ts'
import { drawId } from '../data/db.ts'
import { acrossProjects, scoped } from '../data/scoped.ts'
import { parseId } from '../ids.ts'
import type { ProjectId, ProjectScope } from '../scope.ts'
import { type Identity, type Principal, principalIn } from './principal.ts'
import { lockProject } from './projects.ts'

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
}

declare module '../data/db.ts' {
  interface TenantTables {
    token: TokenRow
  }
}

const prefix = 'wlk_'
const tokenLength = 64
const checksumLength = 6
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A new random token of 321 bits: `wlk_`, 54 random characters, 6 of checksum. */
export function generateToken(): string {
  const random = Array.from({ length: tokenLength - prefix.length - checksumLength }, () => alphabet[randomInt(62)])
  const body = prefix + random.join('')
  return body + checksum(body)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < checksumLength; i++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** Whether `text` can be a token at all: 64 printable characters and, for tokens made here, a correct checksum. */
export function isTokenShaped(text: string): boolean {
  if (!/^[\x21-\x7e]{64}$/.test(text)) return false
  return !text.startsWith(prefix) || text.endsWith(checksum(text.slice(0, -checksumLength)))
}

export function hashToken(token: string): string {
  return hash('sha256', token)
}

export interface NewToken {
  readonly projectId: ProjectId
  readonly name: string
  readonly readOnly: boolean
  readonly created: string
  /** Stored instead of a random token. */
  readonly token?: string
}

/** Stores a token and returns its text, which cannot be read again later. */
export async function createToken(tx: Transaction, given: NewToken): Promise<string> {
  const token = given.token ?? generateToken()
  await acrossProjects(tx.query)
    .insertInto('token')
    .values({
      id: await drawId(tx),
      project_id: given.projectId,
      name: given.name,
      hash: hashToken(token),
      tail: token.slice(-4),
      read_only: given.readOnly ? 1 : 0,
      created: given.created,
      given: 0,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing())
    .execute()
  return token
}

/** The token set by the operator already exists with other rights. */
export class TokenTaken extends Error {}

/**
 * Makes `token` the one set by the operator for a Project. The previous one stops working at once in this process and
 * within 5 s in others. Errors: `TokenTaken` when the token is read-only or belongs to another Project.
 */
export async function giveToken(tx: Transaction, scope: ProjectScope, token: string, created: string): Promise<void> {
  // Serializes processes that start at the same time with different tokens: the last one wins.
  await lockProject(tx, scope, 'update')
  const hash = hashToken(token)
  const known = await acrossProjects(tx.query)
    .selectFrom('token')
    .select(['project_id', 'read_only'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (known && known.project_id !== scope.projectId) throw new TokenTaken('this token belongs to another Project')
  if (known?.read_only) throw new TokenTaken('this token is read-only')
  const ofProject = scoped(tx.query, scope).deleteFrom('token')
  await ofProject.where('given', '=', 1).where('hash', '<>', hash).execute()
  if (!known) await createToken(tx, { projectId: scope.projectId, name: 'default', readOnly: false, created, token })
  await acrossProjects(tx.query).updateTable('token').set({ given: 1 }).where('hash', '=', hash).execute()
}

export async function listTokens(query: Queries): Promise<(Omit<TokenRow, 'hash'> & { project: string })[]> {
  return acrossProjects(query)
    .selectFrom('token')
    .innerJoin('project', 'project.id', 'token.project_id')
    .select(['token.id', 'token.project_id', 'token.name', 'tail', 'read_only', 'token.created', 'given'])
    .select('project.name as project')
    .orderBy('token.id')
    .execute()
}

/** Revokes a token by its id or its text; false when it does not exist. Servers notice within 5 s. */
export async function revokeToken(db: Database, idOrToken: string): Promise<boolean> {
  const result = await db.transact((tx) => {
    const statement = acrossProjects(tx.query).deleteFrom('token')
    return isTokenShaped(idOrToken)
      ? statement.where('hash', '=', hashToken(idOrToken)).executeTakeFirst()
      : statement.where('id', '=', parseId(idOrToken) ?? 0).executeTakeFirst()
  })
  return result.numDeletedRows > 0n
}

/** The principal of an API token in its Project. */
function principalOf(row: Pick<TokenRow, 'id' | 'name' | 'project_id' | 'read_only'>): Principal {
  const identity: Identity = {
    actor: { kind: 'token', id: row.id, name: row.name },
    roles: new Map([[row.project_id, row.read_only === 1 ? 'viewer' : 'member']]),
    isOperator: false,
    elevatedUntil: 0,
    bucket: `project:${row.project_id}`,
  }
  return principalIn(identity, row.project_id)
}

/** The principal of a token by its id, for sessions that were made with it. */
export async function principalOfToken(query: Queries, id: number): Promise<Principal | undefined> {
  const row = await acrossProjects(query)
    .selectFrom('token')
    .select(['id', 'name', 'project_id', 'read_only'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && principalOf(row)
}

const cacheMs = 3_000
const maxCached = 10_000

/**
 * Finds the principal of a token. Principals are cached for 3 s, so that a revocation takes effect everywhere within 5
 * s.
 */
export class Authenticator {
  readonly #db: Database
  readonly #now: () => number
  readonly #known = new Map<string, { principal: Principal; until: number }>()

  /** `now` is a monotonic clock in milliseconds. */
  constructor(db: Database, now: () => number = () => performance.now()) {
    this.#db = db
    this.#now = now
  }

  /** The cached principal, without a lookup. */
  cached(token: string): Principal | undefined {
    const entry = this.#known.get(token)
    return entry && entry.until > this.#now() ? entry.principal : undefined
  }

  async find(token: string): Promise<Principal | undefined> {
    if (!isTokenShaped(token)) return undefined
    const asked = this.#now()
    const row = await acrossProjects(this.#db.query)
      .selectFrom('token')
      .select(['id', 'name', 'project_id', 'read_only'])
      .where('hash', '=', hashToken(token))
      .executeTakeFirst()
    this.#known.delete(token)
    if (!row) return undefined
    const principal = principalOf(row)
    if (this.#known.size >= maxCached) this.#known.delete(this.#known.keys().next().value as string)
    this.#known.set(token, { principal, until: asked + cacheMs })
    return principal
  }
}
