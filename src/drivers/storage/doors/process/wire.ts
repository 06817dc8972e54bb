/** An API server and the process of the doors talk through the channel that Node.js has for that. */
import type { AccountState } from '../../../../families/storage-boxes/driver.ts'
import type { HostAndPort, WebdavPlace } from '../open.ts'

/** The doors count up to this, where the file system does not. */
export interface Quota {
  readonly limit: number
  readonly used: number
}

/** A box as text can carry it. */
export interface PlaceState {
  readonly id: number
  readonly directory: string
  readonly snapshots: string
  readonly uid: number
  readonly gid: number
  /** Null where the file system itself keeps boxes within their limits. */
  readonly quota: Quota | null
  /** As in `BoxPlace`. */
  readonly figures?: string | undefined
  /** As in `Jail`. */
  readonly isUnconfined?: boolean | undefined
}

export interface DoorsSettings {
  readonly directory: string
  readonly ssh: HostAndPort | null
  readonly webdav: WebdavPlace | null
}

/** The ports that were opened. */
export interface OpenedPorts {
  readonly ssh: number | null
  readonly webdav: number | null
}

export interface Methods {
  open: { args: [DoorsSettings]; result: OpenedPorts }
  setAccounts: { args: [PlaceState, number, readonly AccountState[]]; result: null }
  /** With the bytes that were heard to be charged before it was measured. */
  setQuota: { args: [number, Quota, number]; result: null }
  hear: { args: [number]; result: null }
  removeBox: { args: [number, number]; result: null }
  endSessions: { args: [number]; result: null }
}

export type Method = keyof Methods

export type Call = {
  [M in Method]: { readonly call: number; readonly method: M; readonly args: Methods[M]['args'] }
}[Method]

/** The process says these: answers, and what happens. */
export type Said =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: string }
  | { readonly charged: number; readonly written: number; readonly box: number }
  | { readonly changed: number }
  | { readonly report: string; readonly fields: object }
  | DoorsQuestion

/** The process waits for the answer to these: a key is to be noted, or that somebody comes in who may write. */
export type DoorsQuestion = { readonly question: number; readonly box: number } & (
  | { readonly username: string; readonly key: string }
  | { readonly begin: true }
)

/** The process is told this besides calls: what it has asked for is done, or why it is not. */
export interface Answered {
  readonly question: number
  readonly problem: string | null
}
