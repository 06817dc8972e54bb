/**
 * What a family says of its writes for the attack `crash`: requests with what each is to bring about, and what its
 * resources show. Servers are killed meanwhile; each write that was answered has to be there as a whole, each other one as
 * a whole or not at all.
 */
import type { Client } from './harness.ts'
import type { Shown } from './proof.ts'

/**
 * What a resource shows, as words for each facet. A request changes its facets all at once or not at all. A word that is
 * the key of another resource, such as `servers/7` or `servers/7:eth0`, goes with that one, and the resource itself with
 * the one that its facet `with` names. The text `?` stands for any.
 */
export type State = Readonly<Record<string, string>>

/** A resource of a writer in the state that the answers so far told. */
export interface Held {
  readonly id: number
  readonly key: string
  readonly state: State
  /** It as an answer showed it first. */
  readonly shown: Shown
}

/** What one write is made of. */
export interface CrashDraw {
  /** A text that no other write of the attack has, fit for names: `v17`. */
  readonly version: string
  /** Its number. */
  readonly number: number
  oneOf<T>(items: readonly T[]): T
  /** A resource of the writer; the write is not sent when it has none that fits. */
  any(family: string, fits?: (state: State) => boolean): Held
  /** Whether the writer may have a resource that fits. */
  has(family: string, fits: (state: State) => boolean): boolean
}

/** A request, and what it is to bring about. */
export interface CrashWrite {
  readonly body?: unknown
  /** What the resource that the path names shows then, or that it is gone; absent when nothing is seen of it there. */
  readonly to?: State | 'gone'
  /** What the resource shows that it makes, whose label `version` is to be that of the write. */
  readonly makes?: State
  /** Facets that show it only when its actions have ended; `all` also of a deletion. */
  readonly later?: 'all' | readonly string[]
  /** Codes with which its actions may fail, which then change nothing. */
  readonly mayFail?: readonly string[]
}

/** Makes a write; undefined when the target is in no state for it. */
export type CrashRow = (draw: CrashDraw, target: Held) => CrashWrite | undefined

export interface Crash {
  /**
   * What resources show, by family: a family may add facets to those of another one. Undefined for what was not asked for
   * because it comes and goes with another resource.
   */
  readonly shows: Readonly<Record<string, (shown: Shown, api: Client) => State | undefined | Promise<State>>>
  /** Writes by method and path, in which `{servers}` stands for a server of the writer and `{.disks}`, also in bodies, for the id of the first in its list of that name. */
  readonly writes: Readonly<Record<string, CrashRow>>
}

export const keyOf = (family: string, id: number | null | undefined) => (id ? `${family}/${id}` : '')

export const yesOrNo = (is: boolean) => (is ? 'yes' : 'no')

// ---- What most families have ---------------------------------------------------------------------------------------

/** Name and labels are written together, so that half of a change would be seen. */
export const named = ({ version }: CrashDraw) => ({ name: version, labels: { version } })
export const namedState = ({ version }: CrashDraw): State => ({ name: version, label: version })
export const showsNamed = ({ name, labels }: Shown) => ({ name, label: labels.version ?? '' })

export const renames: CrashRow = (draw) => ({ body: named(draw), to: namedState(draw) })

export const removes: CrashRow = (_, { state }) => (state.protected === 'yes' ? undefined : { to: 'gone' })

/** It protects from deletion, or no longer. */
export const protects: CrashRow = (_, { state }) => {
  const isOn = state.protected !== 'yes'
  return { body: { delete: isOn }, to: { protected: yesOrNo(isOn) } }
}
export const showsProtected = ({ protection }: Shown) => ({ protected: yesOrNo(protection.delete) })

/** A write that is sent only to what is in some state. */
export const when = (fits: (state: State) => boolean, row: CrashRow): CrashRow => {
  return (draw, target) => (fits(target.state) ? row(draw, target) : undefined)
}
