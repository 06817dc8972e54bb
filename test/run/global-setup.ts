import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareServer, type TestPostgres } from '../kit/database/postgres.ts'
import { buildForRun } from './built.ts'
import { watchLeftovers } from './leftovers.ts'

let server: TestPostgres | undefined
let compiled: string | undefined
let leftNothing: (() => Promise<boolean>) | undefined

/** Runs of files, or of all of them, in which some run the program or the console. */
const runsBuilt = /test\/(console|program|clients|hosts)\/|test\/run\/run\.ts$/

/**
 * Starts one PostgreSQL server for all test processes, which inherit this environment and share a compile cache, and
 * builds what they run.
 */
export async function globalSetup(): Promise<void> {
  if (!process.env.NODE_COMPILE_CACHE) {
    compiled = mkdtempSync(join(tmpdir(), 'wolke-compiled-'))
    process.env.NODE_COMPILE_CACHE = compiled
  }
  server = await shareServer()
  if (process.argv.some((one) => runsBuilt.test(one)) && !process.argv.includes('--quick')) await buildForRun()
  leftNothing = watchLeftovers()
}

/**
 * Stops the server, and fails the run when tests left files behind. The runner also calls this after failures, SIGINT and
 * SIGTERM.
 */
export async function globalTeardown(): Promise<void> {
  // The runner does not print errors thrown here.
  if (leftNothing && !(await leftNothing())) process.exitCode = 1
  await server?.stop()
  if (compiled) rmSync(compiled, { recursive: true, force: true })
}
