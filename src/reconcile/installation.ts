/** The name of an installation for the hosts that it drives. */
import { randomUUID } from 'node:crypto'
import type { Database } from '../kernel/data/db.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'

/** The same for all processes of an installation, and made with the first question. Errors: those of the database. */
export function installationName(secrets: Secrets, db: Database): Promise<string> {
  return secrets.ofInstallation(db, 'hosts installation', async () => randomUUID())
}
