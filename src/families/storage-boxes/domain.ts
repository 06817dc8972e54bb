/** Storage Boxes: files that outlive all servers, reached by accounts. Pure. */
import type { Labels } from '../../kernel/contract/labels.ts'
import type { SnapshotPlan } from './snapshots/domain.ts'

export const boxStatuses = ['active', 'initializing', 'locked'] as const

/** The account of a box may do these, each by its name on the wire. */
export const boxFlags = [
  'reachable_externally',
  'samba_enabled',
  'ssh_enabled',
  'webdav_enabled',
  'zfs_enabled',
] as const

/** The flags of an account that are on. */
export type Access<Flag extends string> = Readonly<Record<Flag, boolean>>
export type BoxAccess = Access<(typeof boxFlags)[number]>

export interface StorageBox {
  readonly id: number
  readonly name: string
  readonly status: (typeof boxStatuses)[number]
  readonly typeId: number
  readonly locationId: number
  readonly access: BoxAccess
  /** argon2id, as PHC text. */
  readonly passwordHash: string
  /** The one before, while the change is under way. */
  readonly formerPasswordHash: string | null
  /** Public keys as OpenSSH writes them. */
  readonly sshKeys: readonly string[]
  readonly plan: SnapshotPlan | null
  /** The plan makes its next snapshot at this time. */
  readonly planNext: string | null
  /** Bytes of files and snapshots together. */
  readonly capacity: number
  /** Its files and its snapshots were measured to take so many bytes. */
  readonly usedByFiles: number
  readonly usedBySnapshots: number
  /** It ever had so many subaccounts: their names end in numbers that no two of them have. */
  readonly subaccountsMade: number
  /** The time by which its last snapshot is called, or nothing: no two are ever called alike. */
  readonly lastSnapshot: string
  /** Its deletion is under way. */
  readonly isLeaving: boolean
  readonly labels: Labels
  readonly isProtected: boolean
  readonly created: string
  readonly version: number
}

/** An account has so many public keys: the text of all of them is read with it. */
export const mostKeys = 100

/** The name of the account of a box. */
export const usernameOf = (id: number) => `u${id}`

/** The name of the machine that a box is on. */
export const systemOf = (id: number, location: string) => `${location.toUpperCase()}-BX${100 + (id % 900)}`

/** Flags with those that a request names. */
export function withAccess<Flag extends string>(
  before: Access<Flag>,
  given: Partial<Access<Flag>> | undefined,
): Access<Flag> {
  const named = Object.entries(given ?? {}).filter(([, isOn]) => isOn !== undefined)
  return { ...before, ...Object.fromEntries(named) }
}

/** An object that has something of each flag. */
export function eachFlag<Flag extends string, Value>(flags: readonly Flag[], make: (flag: Flag) => Value) {
  return Object.fromEntries(flags.map((flag) => [flag, make(flag)])) as Record<Flag, Value>
}

/** All of some flags, of which none is on. */
export const noAccess = <Flag extends string>(flags: readonly Flag[]): Access<Flag> => eachFlag(flags, () => false)

/** The names of the flags that are on, as a small fact of an action. */
export function accessText<Flag extends string>(access: Access<Flag>): string {
  return Object.keys(access)
    .filter((flag) => access[flag as Flag])
    .join(' ')
}

/** Reads the names of flags again. */
export function accessIn<Flag extends string>(flags: readonly Flag[], text: string): Access<Flag> {
  const on = text.split(' ')
  return eachFlag(flags, (flag) => on.includes(flag))
}

/** Flags as columns of the same names. */
export type AccessColumns<Flag extends string> = Readonly<Record<Flag, 0 | 1>>

export function accessColumns<Flag extends string>(access: Access<Flag>): AccessColumns<Flag> {
  return eachFlag(Object.keys(access) as Flag[], (flag) => (access[flag] ? 1 : 0))
}

export function accessOf<Flag extends string>(flags: readonly Flag[], columns: AccessColumns<Flag>): Access<Flag> {
  return eachFlag(flags, (flag) => columns[flag] === 1)
}

// ---- Passwords -----------------------------------------------------------------------------------------------------

export const minPassword = 12
/** Until there were rules for the signs in it. */
const formerMinPassword = 8
export const maxPassword = 128

const signs = '^°!§$%/()=?+#-.,;:~*@{}_&'
const letters = 'a-zA-ZÄÖÜäöüß'
const escaped = signs.replaceAll(/[\^\-\]\\]/g, '\\$&')
const alphabet = new RegExp(`^[${letters}0-9${escaped}]*$`)
const kinds: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/[A-ZÄÖÜ]/, 'an upper-case letter'],
  [/[a-zäöüß]/, 'a lower-case letter'],
  [/\d/, 'a digit'],
  [new RegExp(`[${escaped}]`), 'a special character'],
]

/** Finds the fault of a password; undefined when it has none. `isStrict` since the dated change that asks for signs in it. */
export function passwordProblem(password: string, isStrict: boolean): string | undefined {
  const text = password.normalize('NFC')
  const least = isStrict ? minPassword : formerMinPassword
  if (text.length < least) return `must have at least ${least} characters`
  if (text.length > maxPassword) return `must not have more than ${maxPassword} characters`
  if (!alphabet.test(text)) return `may have letters, digits and ${[...signs].join(' ')}`
  const lacked = (isStrict ? kinds : kinds.slice(0, 3)).find(([pattern]) => !pattern.test(text))
  return lacked && `must have ${lacked[1]}`
}

// ---- Paths ---------------------------------------------------------------------------------------------------------

/** A path in a box without its dots and doubled slashes; undefined for one that leads out of it. '' is the box itself. */
export function pathIn(path: string): string | undefined {
  const steps = path.split('/').filter((step) => step !== '' && step !== '.')
  return steps.includes('..') || path.includes('\0') ? undefined : steps.join('/')
}
