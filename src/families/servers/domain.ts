/** Servers and the rules of their names, states and secrets. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'

export const serverStatuses = [
  'running',
  'initializing',
  'starting',
  'stopping',
  'off',
  'deleting',
  'migrating',
  'rebuilding',
  'unknown',
] as const
export type ServerStatus = (typeof serverStatuses)[number]
export type Power = 'on' | 'off'
export type Manner = 'guest' | 'hard'

/** The rescue system of a server, with the keys and the password that let root in. */
export interface Rescue {
  /** Timestamp after which the next boot goes to the disk again. */
  readonly until: string
  readonly sshKeys: readonly string[]
  readonly rootPasswordHash: string
}

/** How long the rescue system waits for a boot. */
export const rescueMs = 3_600_000

export interface Server {
  readonly id: number
  readonly name: string
  readonly status: ServerStatus
  readonly created: string
  readonly serverTypeId: number
  readonly locationId: number
  readonly imageId: number | null
  /** What is in its drive. */
  readonly isoId: number | null
  /** What its type offers. */
  readonly cores: number
  readonly memoryMb: number
  /** In GB. */
  readonly primaryDiskSize: number
  /** What is wanted, and what the infrastructure last confirmed. */
  readonly power: Power
  readonly powerInForce: Power
  readonly manner: Manner
  readonly cycle: number | null
  /** Id of the last action that asked for a new disk. */
  readonly installation: number | null
  /** Hours of the day in UTC in which it is backed up daily; null when it is not. */
  readonly backupWindow: string | null
  readonly userData: string | null
  readonly sshKeys: readonly string[]
  readonly rootPasswordHash: string | null
  /** Id of the last action that asked for a new root password. */
  readonly passwordReset: number | null
  /** Where the next boot goes, if not to the disk. */
  readonly rescue: Rescue | null
  readonly labels: Labels
  readonly protection: { readonly delete: boolean; readonly rebuild: boolean }
  readonly version: number
}

/** The memory that a type offers. */
export function memoryMbOf({ memory }: { readonly memory: number }): number {
  return Math.round(memory * 1024)
}

/** The status of a server on which nothing is going on. */
export function restingStatus(power: Power): ServerStatus {
  return power === 'on' ? 'running' : 'off'
}

/** Whether a server has this status only while an action is making it another one. */
export function isPassing(status: ServerStatus): boolean {
  return status !== 'running' && status !== 'off' && status !== 'unknown'
}

/** What can be asked of a server whose power matters. */
export type Verb = 'powerOn' | 'powerOff' | 'shutDown' | 'reboot' | 'reset' | 'changeType' | 'addToPlacementGroup'

/**
 * Whether a verb means anything to a server of this status. The API also takes power verbs that change nothing; what
 * needs a server that is off is refused otherwise.
 */
export function allows(status: ServerStatus, verb: Verb): boolean {
  switch (verb) {
    case 'powerOn':
      return status !== 'running'
    case 'changeType':
    case 'addToPlacementGroup':
      return status === 'off'
    default:
      return status !== 'off'
  }
}

const windowHours = 4
/** The number of backup windows in a day. */
export const windowsOfDay = 24 / windowHours
const firstWindowHour = 22
const hourMs = 3_600_000

const windows = Array.from({ length: windowsOfDay }, (_, index) => {
  const hour = (at: number) => String((firstWindowHour + at * windowHours) % 24).padStart(2, '0')
  return `${hour(index)}-${hour(index + 1)}`
})

/** The backup window of a server: always the same one, and all of them about as often. */
export function backupWindowOf(serverId: number): string {
  return windows[serverId % windows.length] as string
}

/** The backup window that is open at `now` (ms since the epoch), and the day in UTC on which it opened. */
export function openWindow(now: number): { window: string; day: string } {
  const sinceFirst = now + (24 - firstWindowHour) * hourMs
  const index = Math.floor(sinceFirst / (windowHours * hourMs))
  const opened = new Date(index * windowHours * hourMs - (24 - firstWindowHour) * hourMs)
  return { window: windows[index % windows.length] as string, day: opened.toISOString().slice(0, 10) }
}

/** The first backup window after a time opens then, in ms since the epoch. */
export function nextWindowMs(after: number): number {
  const [length, shift] = [windowHours * hourMs, (24 - firstWindowHour) * hourMs]
  return (Math.floor((after + shift) / length) + 1) * length - shift
}

const passwordAlphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password, by default of 116 bits, without characters that look alike. `pick(n)` returns a random number below n. */
export function makePassword(pick: (below: number) => number, length = 20): string {
  return Array.from({ length }, () => passwordAlphabet[pick(passwordAlphabet.length)]).join('')
}
