/** Shutting somebody out: no new sign-in, and the end of everything that would still lead in. */
import type { Transaction } from '../kernel/data/db.ts'
import { timestamp } from '../kernel/process/clock.ts'
import { type PersonChange, updatePerson } from './person-store.ts'
import { dropLinksOf } from './sessions/link-store.ts'
import { deleteSessionsBut, deleteSignInsOf } from './sessions/session-store.ts'
import type { PersonRow } from './tables.ts'

/**
 * Disables a person, with other changes, and ends sessions, half-finished sign-ins and links, which would count again once
 * the person is enabled. Processes notice the end of a session within 5 s.
 */
export async function disablePerson(
  tx: Transaction,
  { id, disabled }: PersonRow,
  change: PersonChange = {},
): Promise<PersonRow> {
  await dropLinksOf(tx, id)
  await deleteSignInsOf(tx, id)
  const changed = await updatePerson(tx, id, { ...change, disabled: disabled ?? timestamp(tx.now) })
  await deleteSessionsBut(tx, id, 0)
  return changed!
}
