/** The doors of this process are told what other processes have done, and keys that people install are noted. */

import { setTimeout as delay } from 'node:timers/promises'
import { recentlyNamed } from '../../kernel/actions/changes.ts'
import { DriverError, type Drivers } from '../../kernel/actions/define.ts'
import { inTime } from '../../kernel/actions/in-time.ts'
import { Note } from '../../kernel/audit/note.ts'
import { recentlyDone } from '../../kernel/audit/reading.ts'
import { onBehalfOf } from '../../kernel/process/behalf.ts'
import { inGroups } from '../../kernel/process/groups.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import type { Platform } from '../../platform.ts'
import { readPublicKey } from '../ssh-keys/reads.ts'
import { states } from './desired.ts'
import { mostKeys, usernameOf } from './domain.ts'
import type { BoxDoors } from './driver.ts'
import { boxesInForce, type InForce, scopeOfBox, theseInForce } from './host.ts'
import { boxes, holdBox } from './store.ts'
import { subaccountName } from './subaccounts/domain.ts'
import { subaccounts, subaccountsOf } from './subaccounts/store.ts'

type DoorsParts = Pick<Platform, 'db' | 'secrets'>

const atOnce = 1_000
const usualTimeoutMs = 20_000
/** So many boxes are handed over at the same time. */
const together = 8
/** Others wait no longer for one box: it may be in use for as long as a copy of it takes. */
const patienceMs = { inRounds: 1_000, following: 100 }

/**
 * Hands over the boxes of which the doors of this process do not know the newest generation: all of them after a start, and later
 * those that another process has changed. Neither one that fails nor one that is in use keeps the others waiting. Errors: one for
 * all that failed.
 */
export async function keepDoors(platform: DoorsParts, drivers: Drivers): Promise<void> {
  const { doors } = drivers.storageBoxes
  if (!doors) return
  doors.noteKeys((box, username, key) => noteKey(platform, drivers, { box, username, key }))
  const gone = new Set(doors.known().keys())
  for (let after = 0; ; ) {
    const some = await boxesInForce(platform.db.query, after, atOnce)
    for (const { id } of some) gone.delete(id)
    await tell(platform, drivers, doors, some, patienceMs.inRounds)
    if (some.length < atOnce) break
    after = some.at(-1)!.id
  }
  await forgetGone(platform, doors, gone)
  refuseFailures(doors)
}

/**
 * Does the same at once for the boxes of which actions tell that run or are new, whichever process runs them, and for those whose
 * accounts have just installed a key. Errors: those of `keepDoors`.
 */
export async function followDoors(platform: DoorsParts, drivers: Drivers): Promise<void> {
  const { doors } = drivers.storageBoxes
  if (!doors) return
  const { query } = platform.db
  const named = (await recentlyNamed(query, boxes.path)).filter(({ type }) => type === boxes.type)
  const withKeys = (await recentlyDone(query, installing)).filter((subject) => typeof subject === 'number')
  const ids = [...new Set([...named.map(({ id }) => id), ...withKeys])]
  const found = ids.length > 0 ? await theseInForce(query, ids) : []
  await tell(platform, drivers, doors, found, patienceMs.following)
  const isThere = new Set(found.map(({ id }) => id))
  await forgetGone(platform, doors, new Set(ids.filter((id) => !isThere.has(id) && doors.known().has(id))))
  refuseFailures(doors)
}

/** What is told to doors at this moment, whether or not a job still waits for it. */
interface UnderWay {
  readonly boxes: Set<number>
  /** Why some failed, of which no job has told yet. */
  readonly failures: unknown[]
}

const underWay = new WeakMap<BoxDoors, UnderWay>()

function underWayTo(doors: BoxDoors): UnderWay {
  const known = underWay.get(doors) ?? { boxes: new Set(), failures: [] }
  underWay.set(doors, known)
  return known
}

/** Hands over those boxes whose generation the doors do not know, and goes on behind one that takes longer than `longestMs`. */
async function tell(
  platform: DoorsParts,
  drivers: Drivers,
  doors: BoxDoors,
  some: readonly InForce[],
  longestMs: number,
): Promise<void> {
  const { boxes, failures } = underWayTo(doors)
  const due = some.filter(({ id, generation }) => doors.known().get(id) !== generation && !boxes.has(id))
  await inGroups(due, together, async (row) => {
    boxes.add(row.id)
    const told = handOver(platform, drivers, row)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => boxes.delete(row.id))
    await Promise.race([told, delay(longestMs, undefined, { ref: false })])
  })
}

function refuseFailures(doors: BoxDoors): void {
  const failures = underWayTo(doors).failures.splice(0)
  if (failures.length > 0) throw new AggregateError(failures, `doors do not lead to ${failures.length} Storage Boxes`)
}

async function handOver(
  { db, secrets }: DoorsParts,
  drivers: Drivers,
  { id, scope }: { readonly id: number; readonly scope: ProjectScope },
): Promise<void> {
  const world = { query: db.query, scope, drivers, secrets }
  await inTime(states.repeat(world, id), drivers.callTimeoutMs ?? usualTimeoutMs)
}

/** Boxes of which nothing is desired any more; those with something that is still to be brought about stay. */
async function forgetGone({ db }: DoorsParts, doors: BoxDoors, ids: ReadonlySet<number>): Promise<void> {
  for (const id of ids) if ((await scopeOfBox(db.query, id)) === undefined) await doors.forget(id)
}

// ---- Keys ----------------------------------------------------------------------------------------------------------

/** The name of what accounts do who install a key, in the audit log. */
const installing = 'install-ssh-key'

const noSuchAccount = 'there is no such account'

interface Installed {
  readonly box: number
  readonly username: string
  readonly key: string
}

/** Notes a key of an account, which has it from then on. Returns undefined, or why it has not. */
async function noteKey(platform: DoorsParts, drivers: Drivers, installed: Installed): Promise<string | undefined> {
  const { db, secrets } = platform
  const { box, username, key } = installed
  const read = readPublicKey(key)
  if (!read.ok) return `this is no public key: ${read.message}`
  const scope = await scopeOfBox(db.query, box)
  if (!scope) return noSuchAccount
  const problem = await onBehalfOf(
    scope.projectId,
    () => write(platform, scope, installed),
    new Note({
      actor: { kind: 'account', id: box, name: username },
      scope,
      operation: installing,
      family: 'storage_boxes',
      subjects: [box],
      status: 0,
      correlationId: '',
      network: '',
    }),
  )
  if (typeof problem === 'string') return problem
  try {
    const confirmed = await states.enforce({ query: db.query, scope, drivers, secrets }, box)
    if (confirmed) await db.transact((tx) => states.confirm(tx, scope, box, confirmed))
  } catch (error) {
    // The account has the key all the same: what is not in force is handed over again until it is.
    if (!(error instanceof DriverError)) throw error
  }
  return undefined
}

/** Says that nothing was changed, to the audit log as well. */
const unchanged = Symbol('unchanged')

async function write({ db }: DoorsParts, scope: ProjectScope, { box: id, username, key }: Installed) {
  let problem: string | undefined
  await db.transact(async (tx) => {
    problem = undefined
    const refuse = (why: string) => {
      problem = why
      return unchanged
    }
    await holdBox(tx, scope, id)
    const box = await boxes.find(tx.query, scope, id)
    if (!box) return refuse(noSuchAccount)
    const others = username === usernameOf(id) ? [] : await subaccountsOf(tx.query, scope, id)
    const subaccount = others.find(({ number }) => subaccountName(usernameOf(id), number) === username)
    if (username !== usernameOf(id) && !subaccount) return refuse(noSuchAccount)
    if (subaccount?.access.readonly) return refuse('this account may only read')
    const { sshKeys } = subaccount ?? box
    if (sshKeys.includes(key)) return unchanged
    if (sshKeys.length >= mostKeys) return refuse(`an account cannot have more than ${mostKeys} keys`)
    const columns = { ssh_keys: JSON.stringify([...sshKeys, key]) }
    if (subaccount) await subaccounts.set(tx, scope, subaccount.id, columns)
    else await boxes.set(tx, scope, id, columns)
    await states.renew(tx, scope, [id])
    return undefined
  })
  return problem
}
