/**
 * Finds out what became of a commit on PostgreSQL whose answer was lost: a row that exists only if it came about is looked for on
 * the server that takes writes now. That it is not there says something where that is another server than the one which was asked,
 * or the same one started anew: nothing that was under way there comes about any more.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { OutcomeUnknown, type Queries, unavailable } from './db.ts'
import type { Connections } from './pool.ts'
import { read } from './pool.ts'
import { kyselyOn } from './postgres-kysely.ts'

/** How long a server that takes writes is waited for, as while a replica is promoted, in milliseconds. */
const patienceMs = 20_000
/** How long the same server is asked, which may still be at it. */
const sameServerMs = 2_000
const pauseMs = 100

/** Tells whether a transaction came about, by a row that it writes and nobody else does. */
export type Proof = (query: Queries) => Promise<boolean>

interface Evidence {
  readonly isThere: boolean
  readonly server: string
}

/**
 * Resolves when a commit that failed with `error` came about after all. Errors: `unavailable` when it certainly did not, and
 * otherwise `error`.
 */
export async function settle(connections: Connections, error: unknown, proof: Proof | undefined): Promise<void> {
  if (!(error instanceof OutcomeUnknown) || error.server === undefined || !proof) throw error
  const begun = performance.now()
  let sameUntil = Number.POSITIVE_INFINITY
  for (let now = begun; now < begun + patienceMs && now < sameUntil; now = performance.now()) {
    const found = await look(connections, proof)
    if (found?.isThere) return
    if (found && found.server !== error.server) throw unavailable(error)
    if (found) sameUntil = Math.min(sameUntil, performance.now() + sameServerMs)
    // Cut off from everything, this process learns nothing soon.
    if (connections.isSilent) break
    await delay(pauseMs)
  }
  throw error
}

/** Undefined while there is no server that takes writes. */
async function look(connections: Connections, proof: Proof): Promise<Evidence | undefined> {
  try {
    const { connection, release } = await connections.lease()
    const query = kyselyOn(async () => ({ run: (statement) => read(connection, statement), release: () => undefined }))
    return await proof(query)
      .then((isThere) => ({ isThere, server: connection.server }))
      .finally(release)
  } catch {
    // It is asked again: what matters is the first error, which the caller gets if nothing else is found.
    return undefined
  }
}
