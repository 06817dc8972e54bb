/** The program and the console as they are delivered, which some tests run. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** Says to the processes of a run that everything is built. */
const variable = 'WOLKE_TEST_BUILT'

let building: Promise<unknown> | undefined

/** Builds what is not current, once for all who wait for it, and not at all where the run has. */
export async function build(): Promise<void> {
  if (process.env[variable]) return
  building ??= promisify(execFile)(process.execPath, ['build.mjs'], { cwd: join(import.meta.dirname, '../..') })
  await building
}

/** Builds what is not current, for all processes that are started from now on. */
export async function buildForRun(): Promise<void> {
  await build()
  process.env[variable] = '1'
}
