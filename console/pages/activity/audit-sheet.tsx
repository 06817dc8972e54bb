/** One entry of the audit log in detail. */
import { typeOf } from '../../api/operations.ts'
import type { AuditEntry } from './actor.ts'
import { entryOfRequest } from './entries.ts'
import { EntrySheet } from './entry-sheet.tsx'
import { useNames } from './names.ts'

export function AuditSheet({ entry, onClose }: { readonly entry: AuditEntry; readonly onClose: () => void }) {
  const nameOf = useNames([typeOf(entry.family)])
  return <EntrySheet entry={entryOfRequest(entry, nameOf)} onClose={onClose} />
}
