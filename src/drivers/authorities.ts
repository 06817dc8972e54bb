/** Chooses who issues managed certificates: the authority of an ACME directory, or the one of this installation. */
import type { AuthorityDriver, DelegationDriver } from '../families/certificates/driver.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { AcmeOptions } from './acme/authority.ts'
import { embeddedCa } from './embedded-ca/authority.ts'
import { uncheckedDelegation } from './resolver/unchecked.ts'

/** What an operator settles about managed certificates. */
export interface AuthorityOptions {
  /** The authority of an ACME directory; the embedded one without it. */
  readonly acme?: Omit<AcmeOptions, 'keep'>
  /** Whether zones have to be delegated to our name servers, and which resolver says so; undefined is the machine's. */
  readonly delegation: 'unchecked' | { readonly resolver: string | undefined }
}

export interface AuthorityParts {
  readonly clock: Clock
  /** The name by which CAA records mean the embedded authority. */
  readonly identity: string
  /** Names of our name servers. */
  readonly nameservers: readonly string[]
  /** Keeps a secret of the installation under a name: what `make` gave the first time. */
  keep(name: string, make: () => Promise<string>): Promise<string>
}

/** The drivers behind managed certificates. Nobody is asked for anything yet. */
export async function authorityDrivers(
  { acme, delegation }: AuthorityOptions,
  parts: AuthorityParts,
): Promise<{ readonly authority: AuthorityDriver; readonly delegation: DelegationDriver }> {
  return {
    authority: acme ? await acmeAuthority(acme, parts) : embedded(parts),
    delegation: delegation === 'unchecked' ? uncheckedDelegation : await resolving(delegation.resolver, parts),
  }
}

function embedded({ clock, identity, keep }: AuthorityParts): AuthorityDriver {
  return embeddedCa({ clock, identity, keep: (make) => keep('embedded-ca', make) })
}

/** Loaded only for those who use it. */
async function acmeAuthority(options: Omit<AcmeOptions, 'keep'>, { keep }: AuthorityParts): Promise<AuthorityDriver> {
  const { openAcme } = await import('./acme/authority.ts')
  return openAcme({ ...options, keep: (make) => keep(`acme-account ${options.directory}`, make) })
}

async function resolving(resolver: string | undefined, { nameservers }: AuthorityParts): Promise<DelegationDriver> {
  const { resolvingDelegation } = await import('./resolver/delegation.ts')
  return resolvingDelegation({ nameservers, resolver })
}
