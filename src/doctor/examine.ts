/** Runs all checks at once, each within a bounded time. One that fails itself is a finding that says so. */
import { setTimeout as delay } from 'node:timers/promises'
import { failure, reasonOf, type Seen, unknown } from '../kernel/process/seen.ts'
import { checkClock } from './checks/clock.ts'
import { checkDatabase } from './checks/database.ts'
import { checkDisk } from './checks/disk.ts'
import { checkedFamilies, checkFamily } from './checks/families.ts'
import { checkHosts } from './checks/hosts.ts'
import { checkKeys } from './checks/keys.ts'
import { checkMail } from './checks/mail.ts'
import { checkPorts } from './checks/ports.ts'
import { checkProcess } from './checks/process.ts'
import { checkTls } from './checks/tls.ts'
import { type CheckId, checkIds, type Diagnosis } from './diagnosis.ts'
import { DatabaseAway, type Patient } from './patient.ts'

/** Looks at one part of an installation. */
export type Check = (patient: Patient) => Promise<readonly Seen[]>

const own: Readonly<Record<CheckId, Check>> = {
  process: checkProcess,
  database: checkDatabase,
  disk: checkDisk,
  clock: checkClock,
  ports: checkPorts,
  keys: checkKeys,
  tls: checkTls,
  hosts: checkHosts,
  mail: checkMail,
}

/** All of them, those of families last. */
const checks: readonly (readonly [id: string, check: Check])[] = [
  ...checkIds.map((id) => [id, own[id]] as const),
  ...checkedFamilies.map((family) => [family.name, checkFamily(family)] as const),
]

/** The most time that one check takes, in milliseconds. */
const patienceMs = 20_000

/** Looks at everything; never rejects. */
export async function examine(patient: Patient, all = checks, waitMs = patienceMs): Promise<Diagnosis[]> {
  const found = await Promise.all(all.map(([id, check]) => examineOne(id, patient, check, waitMs)))
  return found.flat()
}

async function examineOne(id: string, patient: Patient, check: Check, waitMs: number): Promise<Diagnosis[]> {
  const patience = new AbortController()
  const late = delay(waitMs, undefined, { signal: patience.signal, ref: false }).then(() => {
    throw new Error(`it did not end within ${waitMs / 1_000} s`)
  })
  // It is not waited for once the check has ended.
  late.catch(() => undefined)
  try {
    const seen = await Promise.race([check(patient), late])
    const told =
      seen.length > 0 ? seen : [unknown(id, 'there is nothing of it that could be looked at from here', null)]
    return told.map((one) => ({ check: id, ...one }))
  } catch (error) {
    return [{ check: id, ...failed(id, error) }]
  } finally {
    patience.abort()
  }
}

function failed(id: string, error: unknown): Seen {
  if (error instanceof DatabaseAway) return unknown(id, 'not looked at: the database cannot be asked', null)
  return failure(id, `the check itself failed: ${reasonOf(error)}`, 'see the log of the server, and report it')
}
