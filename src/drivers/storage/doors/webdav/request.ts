/** A request of WebDAV once it is known whose it is, and what is refused with which status. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Account, homeOf } from '../accounts.ts'
import { type FileInfo, type Files, isForbidden, isMissing } from '../files.ts'
import { NoRoom } from '../jail/starting.ts'
import { quotaWords, spaceWords } from '../ledger.ts'
import { SftpError } from '../sftp/client.ts'
import type { DeadProperties } from './dead-properties.ts'
import type { Lock, Locks } from './locks.ts'
import { parseIf } from './locks.ts'
import type { Unfinished } from './unfinished.ts'

/** An answer that is none of success. */
export class Refusal extends Error {
  readonly status: number
  /** An element of DAV: that says which rule was broken. */
  readonly condition: string | undefined

  constructor(status: number, words: string, condition?: string) {
    super(words)
    this.status = status
    this.condition = condition
  }
}

export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly account: Account
  readonly files: Files
  /** Below the home, with a slash in front and none at the end. */
  readonly path: string
  /** Those of the box; paths in them begin with the home. */
  readonly locks: Locks
  readonly properties: DeadProperties
  readonly unfinished: Unfinished
}

/** The path of a URL; undefined where it is none. Errors: `Refusal` for a path that goes up. */
export function pathOf(url: string): string | undefined {
  try {
    const { pathname } = new URL(url, 'http://box/')
    const parts = pathname.split('/').filter((part) => part !== '')
    const names = parts.map(decodeURIComponent)
    if (names.some((name) => name === '.' || name === '..' || /[/\0]/.test(name))) return undefined
    return `/${names.join('/')}`
  } catch {
    return undefined
  }
}

export const hrefOf = (path: string, isFolder: boolean): string =>
  path.split('/').map(encodeURIComponent).join('/').replace(/\/$/, '') + (isFolder ? '/' : '')

export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

/** Names a path as the locks and properties of a box know it: accounts have different homes. */
export function inBox({ account }: Pick<Call, 'account'>, path: string): string {
  const home = homeOf(account.state)
  if (home === '') return path
  return path === '/' ? `/${home}` : `/${home}${path}`
}

export function etagOf({ size, modified }: FileInfo): string {
  return `"${size.toString(16)}-${modified.toString(16)}"`
}

export function header({ request }: Call, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}

const isListed = (list: string, etag: string) =>
  list.trim() === '*' || list.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)

/** Checks what a request presumes of a file (RFC 9110). Errors: `Refusal`. */
export function checkConditions(call: Call, info: FileInfo | undefined): void {
  const match = header(call, 'if-match')
  const isThere = info !== undefined
  if (match !== undefined && !(isThere && isListed(match, etagOf(info)))) throw new Refusal(412, 'it has changed')
  const since = Date.parse(header(call, 'if-unmodified-since') ?? '')
  if (match === undefined && isThere && info.modified * 1000 > since) throw new Refusal(412, 'it has changed')
  const none = header(call, 'if-none-match')
  const isRead = call.request.method === 'GET' || call.request.method === 'HEAD'
  if (none !== undefined && isThere && isListed(none, etagOf(info)))
    throw new Refusal(isRead ? 304 : 412, 'it is there')
  const after = Date.parse(header(call, 'if-modified-since') ?? '')
  if (isRead && none === undefined && isThere && info.modified * 1000 <= after) throw new Refusal(304, 'not modified')
}

/**
 * Checks the If header, and that whoever changes something locked has said the token. `paths` are those that are changed, of
 * this account. Errors: `Refusal`.
 */
export async function checkLocks(call: Call, paths: readonly string[], isDeep = false): Promise<void> {
  const text = header(call, 'if')
  const lists = text === undefined ? [] : parseIf(text, pathOf)
  if (lists === undefined) throw new Refusal(400, 'the If header cannot be read')
  if (lists.length > 0 && !(await anyHolds(call, lists)))
    throw new Refusal(412, 'what the If header presumes is not so')
  const said = new Set(
    lists.flatMap(({ conditions }) => conditions.flatMap(({ token, isNot }) => (isNot ? [] : (token ?? [])))),
  )
  for (const path of paths) {
    const locks = call.locks.on(inBox(call, path), isDeep)
    if (locks.length > 0 && !locks.some(({ token }) => said.has(token))) {
      throw new Refusal(423, 'it is locked', 'lock-token-submitted')
    }
  }
}

async function anyHolds(call: Call, lists: NonNullable<ReturnType<typeof parseIf>>): Promise<boolean> {
  for (const { path = call.path, conditions } of lists) {
    const tokens = call.locks.on(inBox(call, path)).map(({ token }) => token)
    const info = conditions.some(({ etag }) => etag !== undefined) ? await call.files.find(path) : undefined
    const holds = conditions.every(({ isNot, token, etag }) => {
      const is = token === undefined ? info !== undefined && etagOf(info) === etag : tokens.includes(token)
      return is !== isNot
    })
    if (holds) return true
  }
  return false
}

/** Translates an error of the file layer for a client of WebDAV. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof NoRoom) return new Refusal(503, error.message)
  if (isMissing(error)) return new Refusal(404, 'there is nothing at this path')
  if (isForbidden(error)) return new Refusal(403, 'this may not be done')
  const noSpace = () => new Refusal(507, spaceWords, 'sufficient-disk-space')
  // What is noted beside the boxes may be on the same disk.
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return noSpace()
  if (!(error instanceof SftpError)) return undefined
  if (error.message === quotaWords) return new Refusal(507, quotaWords, 'quota-not-exceeded')
  if (error.message === spaceWords) return noSpace()
  return new Refusal(409, error.message)
}

export function answer({ response }: Call, status: number, headers: Record<string, string> = {}, body = ''): void {
  response.writeHead(status, { 'Content-Length': `${Buffer.byteLength(body)}`, ...headers })
  response.end(body)
}

export const lockToken = (lock: Lock) => `<${lock.token}>`
