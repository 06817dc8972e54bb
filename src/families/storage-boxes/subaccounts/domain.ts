/** Subaccounts of Storage Boxes: each has a directory of its box. Pure. */
import type { Labels } from '../../../kernel/contract/labels.ts'
import { type Access, pathIn, type StorageBox, usernameOf } from '../domain.ts'

export const maxName = 50
export const maxDescription = 1_000
export const maxHome = 999

/** A subaccount may do these, each by its name on the wire. */
export const subaccountFlags = [
  'reachable_externally',
  'readonly',
  'samba_enabled',
  'ssh_enabled',
  'webdav_enabled',
] as const
export type SubaccountAccess = Access<(typeof subaccountFlags)[number]>

export interface Subaccount {
  readonly id: number
  readonly boxId: number
  /** The numbers of a box's subaccounts differ, and end their names. */
  readonly number: number
  readonly name: string
  readonly description: string
  /** The directory is kept as somebody wrote it. */
  readonly home: string
  readonly access: SubaccountAccess
  /** argon2id, as PHC text. */
  readonly passwordHash: string
  /** The one before, while the change is under way. */
  readonly formerPasswordHash: string | null
  /** Public keys as OpenSSH writes them, which its owner has installed. */
  readonly sshKeys: readonly string[]
  /** Its deletion is under way. */
  readonly isLeaving: boolean
  readonly labels: Labels
  readonly created: string
  readonly version: number
}

/** The username of a subaccount, of which there is one of each number in a box. */
export const subaccountName = (box: string, number: number) => `${box}-sub${number}`

/** The number of the next subaccount: one that no other has had, and whose username none of the others has as its name. */
export function nextNumber({ id, subaccountsMade }: StorageBox, others: readonly Subaccount[]): number {
  const names = new Set(others.map(({ name }) => name))
  let number = subaccountsMade + 1
  while (names.has(subaccountName(usernameOf(id), number))) number++
  return number
}

/** File systems have no longer names. */
const longestStep = 255

/** Finds the fault of a home directory; undefined when it has none. */
export function homeProblem(path: string): string | undefined {
  if (!/^[a-zA-Z0-9 ./_-]+$/.test(path)) return 'may have letters, digits, spaces and . / _ -'
  if (path.startsWith('/')) return 'must not begin with a slash: it is relative to the Storage Box'
  const within = pathIn(path)
  if (within === undefined) return 'must not lead out of the Storage Box'
  const isNamable = within.split('/').every((step) => step.length <= longestStep)
  return isNamable ? undefined : `must not have a part of more than ${longestStep} characters`
}
