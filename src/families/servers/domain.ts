/** Servers and the rules of their names, states and secrets. Pure. */
import type { Labels } from '../../kernel/labels.ts'

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

export interface Server {
  readonly id: number
  readonly name: string
  readonly status: ServerStatus
  readonly created: string
  readonly serverTypeId: number
  readonly locationId: number
  readonly imageId: number | null
  /** What its type offered when it was created. */
  readonly cores: number
  readonly memoryMb: number
  /** In GB. */
  readonly primaryDiskSize: number
  /** What is wanted, and what the infrastructure last confirmed. */
  readonly power: Power
  readonly powerInForce: Power
  readonly manner: Manner
  readonly cycle: number | null
  readonly generation: number
  readonly userData: string | null
  readonly sshKeys: readonly string[]
  readonly rootPasswordHash: string | null
  readonly labels: Labels
  readonly protection: { readonly delete: boolean; readonly rebuild: boolean }
  readonly version: number
}

/** The status of a server on which nothing is going on. */
export function restingStatus(power: Power): ServerStatus {
  return power === 'on' ? 'running' : 'off'
}

/** Whether a server has this status only while an action is making it another one. */
export function isPassing(status: ServerStatus): boolean {
  return status !== 'running' && status !== 'off' && status !== 'unknown'
}

/** Whether a name can be the name of a host (RFC 1123). */
export function isHostname(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => /^[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label))
  )
}

const passwordAlphabet = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password of 20 characters (116 bits), without those that look alike. `pick(n)` returns a random number below n. */
export function makePassword(pick: (below: number) => number): string {
  return Array.from({ length: 20 }, () => passwordAlphabet[pick(passwordAlphabet.length)]).join('')
}
