/** Commands that change something leave an entry in the audit log, like requests. */
import { userInfo } from 'node:os'
import { audited, entryOf } from '../kernel/audit/audited.ts'
import { append } from '../kernel/audit/entries.ts'
import { type AuditActor, Note } from '../kernel/audit/note.ts'
import type { Database } from '../kernel/data/db.ts'
import { onBehalfOf } from '../kernel/process/behalf.ts'

/** The user of the machine who runs a command. */
export function commandLine(): AuditActor {
  return { kind: 'command line', id: null, name: userName() }
}

/** The name of the user of this process. A container may run as one that its list of users does not have: its number is told. */
function userName(): string {
  try {
    return userInfo().username
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error
    return String(process.getuid!())
  }
}

/** Words of commands that change nothing. */
const reading = new Set(['list', 'show', 'audit', 'status'])

/** The part of the management API that does the same as a command, by its first word. */
const families: Readonly<Record<string, string>> = {
  actions: 'installation',
  dnssec: 'zones',
  leases: 'installation',
  locks: 'installation',
  mail: 'installation',
  person: 'people',
  project: 'projects',
  token: 'tokens',
}

/**
 * Carries out a command on a database: what it changes is in the audit log, and so is its failure. `args` are those of
 * the command line, of which only the words that name the command are written down.
 */
export async function carryOut(
  args: readonly string[],
  db: Database,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const words = args.slice(0, args.findIndex((arg) => !/^[a-z]+$/.test(arg)) >>> 0).slice(0, 2)
  if (words.length === 0 || words.some((word) => reading.has(word))) return work(db)
  const note = new Note({
    actor: commandLine(),
    scope: undefined,
    operation: `wolke ${words.join(' ')}`,
    family: families[words[0]!] ?? words[0]!,
    subjects: [],
    status: 0,
    correlationId: '',
    network: '',
  })
  try {
    await onBehalfOf(undefined, () => work(audited(db)), note)
  } catch (error) {
    const entry = { ...entryOf(note), outcome: 'refused' }
    // The failure itself matters more than its entry.
    if (note.state === 'open') await db.transact(async (tx) => append(tx, entry)).catch(() => undefined)
    throw error
  }
}
