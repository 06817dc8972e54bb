/**
 * Tests that failed beside others and pass alone. Such a test does not fail its run, because it says nothing about the
 * change that is tested, but docs/flaky.md names it until its cause is mended.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** A test that failed. */
export interface Failure {
  /** With the names of its suites. */
  readonly name: string
  /** Its file, if its first failure tells. */
  readonly file?: string
  /** The first line of what was wrong first. */
  readonly message: string
}

/** A run in which more tests fail has a fault that is not chance. */
export const mostFlaky = 3

const page = 'docs/flaky.md'

/** Keeps which tests were flaky in this run, and returns those that were in the last one of its `kind` too. */
export function keepFlaky(flaky: readonly Failure[], kind: 'tests' | 'hosts'): readonly Failure[] {
  const lastRun = `node_modules/.cache/flaky-${kind}.json`
  const before = readLast(lastRun)
  mkdirSync(dirname(lastRun), { recursive: true })
  writeFileSync(lastRun, JSON.stringify(flaky.map(({ name }) => name)))
  const listed = readFileSync(page, 'utf8')
  const fresh = flaky.filter(({ name }) => !listed.includes(`| ${cell(name)} |`))
  appendFileSync(page, fresh.map(rowOf).join(''))
  return flaky.filter(({ name }) => before.includes(name))
}

function rowOf({ file = 'unknown', name, message }: Failure): string {
  const day = new Date().toISOString().slice(0, 10)
  return `| ${day} | \`${file}\` | ${cell(name)} | ${cell(message)} |\n`
}

function cell(text: string): string {
  return text.replaceAll(/[|\\]/g, '\\$&').slice(0, 200)
}

function readLast(lastRun: string): readonly string[] {
  try {
    return JSON.parse(readFileSync(lastRun, 'utf8')) as readonly string[]
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
