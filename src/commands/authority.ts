/** Chooses who issues managed certificates: the authority of an ACME directory, or the one of this installation. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import { embeddedCa } from '../drivers/embedded-ca/authority.ts'
import { uncheckedDelegation } from '../drivers/resolver/unchecked.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import type { Database } from '../kernel/data/db.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Secrets } from '../kernel/secrets/secrets.ts'
import { CommandFailure } from './failure.ts'

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  /** By which CAA records mean the embedded authority. */
  readonly identity: string
  /** Names of our name servers. */
  readonly nameservers: readonly string[]
}

/** The drivers behind managed certificates. Errors: `CommandFailure` for a file that cannot be read. */
export async function certificateDrivers(
  config: Config,
  { db, clock, secrets, identity, nameservers }: Parts,
): Promise<Pick<Drivers, 'authority' | 'delegation'>> {
  const { acmeDirectory, resolver, delegationCheck = acmeDirectory === undefined ? 'off' : 'on' } = config
  const keep = (name: string) => (make: () => Promise<string>) => secrets.ofInstallation(db, name, make)
  const authority =
    acmeDirectory === undefined
      ? embeddedCa({ clock, identity, keep: keep('embedded-ca') })
      : await acmeAuthority(config, acmeDirectory, { keep: keep(`acme-account ${acmeDirectory}`) })
  if (delegationCheck === 'off') return { authority, delegation: uncheckedDelegation }
  const { resolvingDelegation } = await import('../drivers/resolver/delegation.ts')
  return { authority, delegation: resolvingDelegation({ nameservers, resolver }) }
}

/** Read only by those who use it. */
async function acmeAuthority(
  { acmeContact, acmeEabKid, acmeEabKey, acmeCaFile, acmeAllowPrivate = false, acmeNonceAttempts }: Config,
  directory: string,
  { keep }: { keep(make: () => Promise<string>): Promise<string> },
) {
  const { openAcme } = await import('../drivers/acme/authority.ts')
  return openAcme({
    directory,
    contact: acmeContact,
    binding: acmeEabKid !== undefined && acmeEabKey !== undefined ? { kid: acmeEabKid, key: acmeEabKey } : undefined,
    ca: acmeCaFile === undefined ? undefined : readCa(acmeCaFile),
    allowPrivate: acmeAllowPrivate,
    nonceAttempts: acmeNonceAttempts,
    keep,
  })
}

function readCa(path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    // What is none would be trusted in silence, as nothing.
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new CommandFailure(`--acme-ca-file: ${(error as Error).message}`, 2)
  }
}
