/** Chooses the issuer of managed certificates: an ACME authority, or the embedded authority of this installation. */
import type { AuthorityDriver } from '../families/certificates/managed/driver.ts'
import type { Drivers } from '../kernel/actions/define.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { AcmeOptions } from './acme/authority.ts'
import { embeddedCa } from './embedded-ca/authority.ts'
import { uncheckedDelegation, uncheckedParents } from './resolver/unchecked.ts'

/** The operator's settings for managed certificates. */
export interface AuthorityOptions {
  /** The ACME authority; the embedded one is used when this is undefined. */
  readonly acme?: Omit<AcmeOptions, 'keep'>
  /**
   * Whether zones must be delegated to our name servers, and the resolver that checks it; undefined uses the system's.
   */
  readonly delegation: 'unchecked' | { readonly resolver: string | undefined }
}

export interface AuthorityParts {
  readonly clock: Clock
  /** The name of the embedded authority in CAA records. */
  readonly identity: string
  /** Names of our name servers. */
  readonly nameservers: readonly string[]
  /** Returns the secret stored under a name; the first call stores what `make` returns. */
  keep(name: string, make: () => Promise<string>): Promise<string>
}

/** Creates the drivers of managed certificates, and of the delegation of zones, without sending any request. */
export async function authorityDrivers(
  { acme, delegation }: AuthorityOptions,
  parts: AuthorityParts,
): Promise<Pick<Drivers, 'authority' | 'delegation' | 'zones'>> {
  return {
    authority: acme ? await acmeAuthority(acme, parts) : embedded(parts),
    ...(delegation === 'unchecked' ? unchecked : await resolving(delegation.resolver, parts)),
  }
}

function embedded({ clock, identity, keep }: AuthorityParts): AuthorityDriver {
  return embeddedCa({ clock, identity, keep: (make) => keep('embedded-ca', make) })
}

/** Loads the ACME client only when it is in use. */
async function acmeAuthority(options: Omit<AcmeOptions, 'keep'>, { keep }: AuthorityParts): Promise<AuthorityDriver> {
  const { openAcme } = await import('./acme/authority.ts')
  return openAcme({ ...options, keep: (make) => keep(`acme-account ${options.directory}`, make) })
}

const unchecked = { delegation: uncheckedDelegation, zones: uncheckedParents }

async function resolving(resolver: string | undefined, { nameservers }: AuthorityParts) {
  const { resolvingDelegation } = await import('./resolver/delegation.ts')
  const { askingParents } = await import('./resolver/parents.ts')
  return { delegation: resolvingDelegation({ nameservers, resolver }), zones: askingParents({ resolver }) }
}
