/** What tests of wolke doctor share: its findings, and faults that are made for real. */
import assert from 'node:assert/strict'
import type { Diagnosis } from '../../../src/doctor/diagnosis.ts'
import type { Program } from './program.ts'

export interface Consulted {
  readonly code: number | null
  readonly stderr: string
  readonly found: readonly Diagnosis[]
  /** The finding of a check whose subject begins so. */
  of(check: Diagnosis['check'], subject: string): Diagnosis
  /** Those that fail: their checks with their subjects. */
  readonly failing: readonly string[]
}

/** Runs wolke doctor on a database. */
export async function consult({ command }: Program, database: string, ...options: string[]): Promise<Consulted> {
  const { code, stdout, stderr } = await command('doctor', '--database', database, '--json', ...options)
  assert.notEqual(stdout, '', stderr)
  const found = JSON.parse(stdout) as Diagnosis[]
  return {
    code,
    stderr,
    found,
    failing: found.filter(({ verdict }) => verdict === 'failure').map(({ check, subject }) => `${check} ${subject}`),
    of(check, subject) {
      const one = found.find((some) => some.check === check && some.subject.startsWith(subject))
      assert.ok(one, `${check} ${subject} is not among ${JSON.stringify(found, null, 1)}`)
      return one
    },
  }
}

/** Checks one finding: its verdict, what was seen, and that something is to be done. */
export function assertFinding(one: Diagnosis, verdict: Diagnosis['verdict'], seen: RegExp, advice?: RegExp): void {
  assert.equal(one.verdict, verdict, JSON.stringify(one))
  assert.match(one.seen, seen)
  if (advice) assert.match(one.advice ?? '', advice)
}
