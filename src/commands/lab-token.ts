/** The token of a lab, which programs that test read from the ready file. */
import { createManagementToken } from '../kernel/access/management-tokens.ts'
import { recordEvent } from '../kernel/audit/entries.ts'
import type { Database } from '../kernel/data/db.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { commandLine } from './noted.ts'

/** Makes a management token for a server whose data ends with it. */
export async function makeLabToken(db: Database): Promise<string> {
  return db.transact(async (tx) => {
    const { id, token } = await createManagementToken(tx, { name: 'lab', created: timestamp(tx.now) })
    const event = { operation: 'wolke serve', family: 'management_tokens', subjects: [id] }
    await recordEvent(tx, { actor: commandLine(), ...event })
    return token
  })
}
