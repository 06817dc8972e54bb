/** Do the clocks agree: that of this process, that of the database, and that of the world? */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { databaseClock } from '../../kernel/actions/waiting.ts'
import type { Database } from '../../kernel/data/db.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { failure, fine, type Seen, unknown, warning } from '../../kernel/process/seen.ts'
import { DatabaseAway, type Patient } from '../patient.ts'

const run = promisify(execFile)

/** Dates of the database and of the API differ visibly beyond the first; certificates and sign-ins fail beyond the other. */
const warnMs = 1_000
const failMs = 5_000

export async function checkClock(patient: Patient): Promise<readonly Seen[]> {
  const [database, synchronized] = await Promise.all([againstDatabase(patient), timeService()])
  return [...database, ...ownTime(patient.clock.now() - Date.now()), synchronized]
}

async function againstDatabase({ open, clock }: Patient): Promise<readonly Seen[]> {
  const subject = 'database'
  try {
    const apart = await difference(await open(), clock)
    const seen = `the clock of the database is ${Math.round(Math.abs(apart))} ms ${apart > 0 ? 'ahead of' : 'behind'} this machine`
    const advice = 'let both machines take their time from the same time servers'
    if (Math.abs(apart) > failMs) return [failure(subject, seen, advice)]
    if (Math.abs(apart) > warnMs) return [warning(subject, seen, advice)]
    return [fine(subject, 'agrees with this machine')]
  } catch (error) {
    if (!(error instanceof DatabaseAway)) throw error
    return [unknown(subject, 'not looked at: the database cannot be asked', null)]
  }
}

/** The milliseconds by which the clock of the database is ahead, negative when it is behind. */
async function difference(db: Database, clock: Clock): Promise<number> {
  const begun = [Date.now(), clock.now()]
  const theirs = await databaseClock(db)
  const ended = [Date.now(), clock.now()]
  // It was read at some time of the question, which is no difference.
  const apart = begun.map((from, which) => Math.max(theirs - ended[which]!, 0) || Math.min(theirs - from, 0))
  // A lab moves the clock of a database in its process along with its own, on purpose.
  return db.dialect.shared || Math.abs(apart[0]!) < Math.abs(apart[1]!) ? apart[0]! : apart[1]!
}

/** A lab shows another time on purpose, and so does `--now`. */
function ownTime(offsetMs: number): readonly Seen[] {
  const seconds = Math.round(offsetMs / 1_000)
  if (Math.abs(seconds) < 1) return []
  const side = seconds > 0 ? 'ahead of' : 'behind'
  return [fine('time shown', `is ${Math.abs(seconds)} s ${side} this machine, as --now or a lab wants it`)]
}

async function timeService(): Promise<Seen> {
  const subject = 'time service'
  const said = await isSynchronized()
  if (said === undefined) return unknown(subject, 'nothing on this machine tells whether its clock is kept right', null)
  if (said) return fine(subject, 'keeps the clock of this machine right')
  return warning(subject, 'does not keep the clock of this machine right', 'timedatectl set-ntp true, or see to chrony')
}

/** True when the kernel knows that its clock is right; undefined where nothing tells. */
async function isSynchronized(): Promise<boolean | undefined> {
  try {
    const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { timeout: 3_000 })
    return stdout.trim() === 'yes' ? true : stdout.trim() === 'no' ? false : undefined
  } catch {
    // A container has no such program, or nothing that it could ask.
    return undefined
  }
}
