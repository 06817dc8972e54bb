/** The accounts of boxes, whose states replace each other whole. */
import type { AccountState } from '../../../families/storage-boxes/driver.ts'
import { partsOf } from '../store/beneath.ts'
import type { Jail } from './jail/confine.ts'
import type { Ledger } from './ledger.ts'
import { isInternal } from './networks.ts'

/** The doors know this of a box. */
export interface BoxPlace {
  readonly id: number
  /** The real paths of its files and of its snapshots. Only root may change what is above them. */
  readonly directory: string
  readonly snapshots: string
  readonly uid: number
  readonly gid: number
  /** Undefined where the file system itself keeps boxes within their limits. */
  readonly ledger: Ledger | undefined
  /** All that the box may take, in bytes; known where there is a ledger. */
  readonly limit?: number
  /** The kernel says in this folder what the box takes and may take, where it keeps that. */
  readonly figures?: string | undefined
  /** As in `Jail`. */
  readonly isUnconfined?: boolean | undefined
}

export interface Account {
  readonly place: BoxPlace
  readonly state: AccountState
}

/** Somebody has this open with an account. */
export interface Session {
  readonly door: Door
  readonly address: string
  end(): void
}

export type Door = 'ssh' | 'webdav'

/** Connections of one account at a time, by all doors. */
export const mostSessions = 10

interface KnownAccount {
  account: Account
  readonly sessions: Set<Session>
}

interface KnownBox {
  readonly generation: number
  readonly usernames: readonly string[]
}

export class Accounts {
  readonly #known = new Map<string, KnownAccount>()
  readonly #boxes = new Map<number, KnownBox>()
  readonly #onRemoved: (username: string) => void

  /** `onRemoved` is told of each account that goes. */
  constructor(onRemoved: (username: string) => void = () => undefined) {
    this.#onRemoved = onRemoved
  }

  /**
   * Replaces the accounts of a box, and ends what those may not do any more. Older generations change nothing,
   * which is what `false` says.
   */
  set(place: BoxPlace, generation: number, states: readonly AccountState[]): boolean {
    const before = this.#boxes.get(place.id)
    if (before && before.generation > generation) return false
    const usernames = states.map(({ username }) => username)
    this.#boxes.set(place.id, { generation, usernames })
    for (const username of before?.usernames ?? []) if (!usernames.includes(username)) this.#remove(username)
    for (const state of states) this.#replace({ place, state })
    return true
  }

  /** Removes a box with its accounts; only a newer generation brings it back. Returns whether it did. */
  remove(id: number, generation: number): boolean {
    const before = this.#boxes.get(id)
    if (before && before.generation > generation) return false
    for (const username of before?.usernames ?? []) this.#remove(username)
    this.#boxes.set(id, { generation: generation + 1, usernames: [] })
    return true
  }

  find(username: string): Account | undefined {
    return this.#known.get(username)?.account
  }

  /** The account, if it may come in by a door from an address. */
  findFor(username: string, door: Door, address: string): Account | undefined {
    const account = this.find(username)
    return account && mayUse(account.state, door, address) ? account : undefined
  }

  /** Ends all that is open with the accounts of a box, whose files are about to be replaced. Returns their names. */
  endSessions(id: number): readonly string[] {
    const usernames = this.#boxes.get(id)?.usernames ?? []
    for (const username of usernames) this.#end(username, () => true)
    return usernames
  }

  /** Notes a session. Returns what to call at its end, or undefined when the account has as many as it may have. */
  enter(username: string, session: Session): (() => void) | undefined {
    const known = this.#known.get(username)
    if (!known || known.sessions.size >= mostSessions) return undefined
    known.sessions.add(session)
    return () => known.sessions.delete(session)
  }

  #replace(account: Account): void {
    const { username } = account.state
    const known = this.#known.get(username)
    if (!known) {
      this.#known.set(username, { account, sessions: new Set() })
      return
    }
    const before = known.account.state
    known.account = account
    const { state } = account
    // Programs that run have the home, and the right to write, with which they were started.
    const isMoved =
      before.home !== state.home ||
      before.isReadonly !== state.isReadonly ||
      before.seesSnapshots !== state.seesSnapshots
    this.#end(username, ({ door, address }) => isMoved || !mayUse(state, door, address))
  }

  #end(username: string, isMeant: (session: Session) => boolean): void {
    for (const session of [...(this.#known.get(username)?.sessions ?? [])]) if (isMeant(session)) session.end()
  }

  #remove(username: string): void {
    this.#end(username, () => true)
    this.#known.delete(username)
    this.#onRemoved(username)
  }
}

/** Tells whether an account may come in by a door from an address. */
function mayUse(state: AccountState, door: Door, address: string): boolean {
  const isOpen = door === 'ssh' ? state.hasSsh : state.hasWebdav
  return isOpen && (state.isReachableExternally || isInternal(address))
}

/** The jail of whatever works for an account. */
export function jailOf({ place, state }: Account): Jail {
  return {
    directory: place.directory,
    home: homeOf(state),
    uid: place.uid,
    gid: place.gid,
    isReadonly: state.isReadonly,
    isUnconfined: place.isUnconfined,
    // Snapshots are those of the whole box, so they are for whoever sees the whole box.
    snapshots: !place.isUnconfined && state.seesSnapshots && homeOf(state) === '' ? place.snapshots : undefined,
  }
}

/** The home without what leads nowhere. What leads up is not followed: it stays in the box. */
export const homeOf = ({ home }: AccountState): string => partsOf(home).join('/')
