/**
 * Processes say which key-encryption keys they have, so that nothing is encrypted with one that another process lacks. Those
 * that have ended are not counted, though what they said stays until the next one says it.
 */
import type { Database, Queries } from '../data/db.ts'
import { connectedProcesses } from '../data/standing.ts'
import type { Keyring } from './kek.ts'

interface KeyHolderRow {
  /** The name that `processName` gives. */
  readonly process: string
  /** The ids of its keys, with spaces in between. */
  readonly kek_ids: string
}

declare module '../data/db.ts' {
  interface Tables {
    key_holder: KeyHolderRow
  }
}

/** Notes that a process has the keys of a ring, and forgets those that have ended. */
export async function noteHolder(db: Database, process: string, { current, previous }: Keyring): Promise<void> {
  const kek_ids = [current, previous].flatMap((kek) => kek?.id ?? []).join(' ')
  const connected = (await connectedProcesses(db)).map(({ name }) => name)
  await db.transact(async (tx) => {
    const known = (await holdersOf(tx.query)).map((holder) => holder.process)
    // One with the name of a process that has ended replaces it.
    const gone = known.filter((name) => name === process || !connected.includes(name))
    if (gone.length > 0) await tx.query.deleteFrom('key_holder').where('process', 'in', gone).execute()
    await tx.query.insertInto('key_holder').values({ process, kek_ids }).execute()
  })
}

/** The processes of an installation that have said which keys they have. */
export async function holdersOf(query: Queries): Promise<readonly { process: string; keks: readonly string[] }[]> {
  const rows = await query.selectFrom('key_holder').selectAll().orderBy('process').execute()
  return rows.map(({ process, kek_ids }) => ({ process, keks: kek_ids.split(' ') }))
}
