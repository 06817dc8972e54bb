import { POSTGRES_VARIABLE, startPostgres, type TestPostgres } from './postgres.ts'

let server: TestPostgres | undefined

/** Starts one PostgreSQL server for all test processes, which inherit this environment. */
export async function globalSetup(): Promise<void> {
  if (process.env[POSTGRES_VARIABLE]) return
  server = await startPostgres()
  process.env[POSTGRES_VARIABLE] = server.url
}

/** Stops the server; the runner also calls this after failures, SIGINT and SIGTERM. */
export async function globalTeardown(): Promise<void> {
  await server?.stop()
}
