/** How long files took in earlier runs, so that a run begins with the longest: one that began last would end alone. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Seconds by file. */
export type Durations = Readonly<Record<string, number>>

const cache = 'node_modules/.cache/durations.json'
/** What a file takes of which nothing is known: most send a request every few lines. */
const secondsPerByte = 1 / 2_000

/** How long a file takes. */
export function secondsOf(file: string): number {
  known ??= read()
  return known[file] ?? statSync(file).size * secondsPerByte
}

/** Keeps how long files took in this run, beside what is known of others. */
export function keepDurations(durations: Durations): void {
  mkdirSync(dirname(cache), { recursive: true })
  writeFileSync(cache, JSON.stringify({ ...read(), ...durations }))
}

let known: Durations | undefined

function read(): Durations {
  try {
    return JSON.parse(readFileSync(cache, 'utf8')) as Durations
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
}
