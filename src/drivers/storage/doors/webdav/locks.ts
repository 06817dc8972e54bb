/**
 * Locks of WebDAV (RFC 4918, section 6): exclusive and shared ones on paths, with an end. They are between clients of
 * WebDAV, are forgotten with the process, and no other door knows them.
 */
import { randomUUID } from 'node:crypto'

export interface Lock {
  readonly token: string
  readonly path: string
  readonly isDeep: boolean
  readonly isShared: boolean
  /** The client wrote this element about who has the lock. */
  readonly owner: string
  /** The account that has it. */
  readonly username: string
  /** The lock ends at this time, in milliseconds of the process. */
  readonly endsAt: number
  readonly seconds: number
}

const mostSeconds = 3_600
/** Locks of a box, of one of its accounts, and those that concern one path: a file is described with all of these. */
const mostLocks = 1_000
const mostOfAccount = 200
const mostOfPath = 50

const isAbove = (above: string, path: string) => above === path || path.startsWith(above === '/' ? '/' : `${above}/`)

export class Locks {
  #locks = new Map<string, Lock>()

  /** Locks that concern a path: on it, deep ones above it, and those below it where `isDeep`. */
  on(path: string, isDeep = false): Lock[] {
    const now = performance.now()
    const found: Lock[] = []
    for (const [token, lock] of this.#locks) {
      if (lock.endsAt <= now) this.#locks.delete(token)
      else if (
        lock.path === path ||
        (lock.isDeep && isAbove(lock.path, path)) ||
        (isDeep && isAbove(path, lock.path))
      ) {
        found.push(lock)
      }
    }
    return found
  }

  /** Returns undefined where another lock is in the way, or there are too many. */
  add(wish: Omit<Lock, 'token' | 'endsAt'>): Lock | undefined {
    const others = this.on(wish.path, wish.isDeep)
    if (others.some(({ isShared }) => !isShared || !wish.isShared)) return undefined
    if (others.length >= mostOfPath || this.#locks.size >= mostLocks) return undefined
    if (this.#countOf(wish.username) >= mostOfAccount) return undefined
    const lock = this.#timed({ ...wish, token: `opaquelocktoken:${randomUUID()}`, endsAt: 0 }, wish.seconds)
    this.#locks.set(lock.token, lock)
    return lock
  }

  /** Has a lock last for so many seconds from now. */
  refresh(lock: Lock, seconds: number): Lock {
    const refreshed = this.#timed(lock, seconds)
    this.#locks.set(lock.token, refreshed)
    return refreshed
  }

  remove(token: string): void {
    this.#locks.delete(token)
  }

  /** Forgets what was locked at a path and below it, which is no more. */
  removeBelow(path: string): void {
    for (const [token, lock] of this.#locks) if (isAbove(path, lock.path)) this.#locks.delete(token)
  }

  #countOf(username: string): number {
    let count = 0
    for (const lock of this.#locks.values()) if (lock.username === username) count++
    return count
  }

  #timed(lock: Lock, wanted: number): Lock {
    const seconds = Math.max(1, Math.min(wanted, mostSeconds))
    return { ...lock, seconds, endsAt: performance.now() + seconds * 1000 }
  }
}

/** Seconds of a Timeout header. */
export function secondsOf(header: string | undefined): number {
  for (const wish of header?.split(',') ?? []) {
    const [, seconds] = /^\s*Second-(\d{1,10})\s*$/i.exec(wish) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return mostSeconds
}

/** One list of an If header: all of its conditions have to hold. */
export interface IfList {
  /** The path that it is about; undefined for that of the request. */
  readonly path: string | undefined
  readonly conditions: readonly { readonly isNot: boolean; readonly token?: string; readonly etag?: string }[]
}

/** Reads an If header; undefined when it is none. */
export function parseIf(header: string, pathOf: (url: string) => string | undefined): IfList[] | undefined {
  const lists: IfList[] = []
  let path: string | undefined
  let rest = header.trim()
  while (rest !== '') {
    const tag = /^<([^>]*)>\s*/.exec(rest)
    if (tag) {
      path = pathOf(tag[1]!) ?? ''
      rest = rest.slice(tag[0].length)
    }
    const list = /^\(((?:[^()"<[]|"[^"]*"|<[^>]*>|\[[^\]]*\])*)\)\s*/.exec(rest)
    if (!list) return undefined
    const conditions = [...list[1]!.matchAll(/(not\s+)?(?:<([^>]*)>|\[([^\]]*)\])/gi)].map(([, not, token, etag]) => ({
      isNot: not !== undefined,
      ...(token === undefined ? {} : { token }),
      ...(etag === undefined ? {} : { etag }),
    }))
    if (conditions.length === 0) return undefined
    lists.push({ path, conditions })
    rest = rest.slice(list[0].length)
  }
  return lists
}
