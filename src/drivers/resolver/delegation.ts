/** Checks through a public resolver whether zones are delegated to our name servers, and what those servers answer. */
import { Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { AuthorityChallenge, DelegationDriver } from '../../families/certificates/managed/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'

export interface DelegationOptions {
  /** The names of our name servers, absolute with a trailing dot. */
  readonly nameservers: readonly string[]
  /** The address of the resolver, with a port unless it is 53; undefined uses the resolvers of the system. */
  readonly resolver: string | undefined
  /** The port of the name servers, and the interval in milliseconds at which a missing record is looked up again. */
  readonly port?: number
  readonly lookMs?: number
}

/** Time limits of one query, and of the propagation of a record, in milliseconds. */
const questionMs = 3_000
const propagationMs = 20_000
/** Negative answers, as opposed to failures to get an answer. */
const nothing = new Set(['ENOTFOUND', 'ENODATA'])

/** Creates the driver without sending any query. */
export function resolvingDelegation(options: DelegationOptions): DelegationDriver {
  const { nameservers, resolver, port = 53, lookMs = 1_000 } = options
  const ours = new Set(nameservers.map((name) => canonical(name)))
  const outside = openResolver(resolver === undefined ? [] : [resolver])

  const nameserversOf = async (zone: string) => (await answersOf(outside.resolveNs(zone))).map(canonical)

  /** Addresses of our name servers for a zone. Other servers are not queried, because tenants choose them. */
  const addressesOf = async (zone: string) => {
    const names = (await nameserversOf(zone)).filter((name) => ours.has(name))
    const lookups = names.flatMap((name) => [outside.resolve4(name), outside.resolve6(name)])
    return (await Promise.allSettled(lookups)).flatMap((found) => (found.status === 'fulfilled' ? found.value : []))
  }

  return {
    async isDelegated(zone) {
      return (await nameserversOf(zone)).some((name) => ours.has(name))
    },
    async awaitChallenge(zone, challenge) {
      const deadline = performance.now() + propagationMs
      for (const address of await addressesOf(zone)) {
        const server = openResolver([`${address.includes(':') ? `[${address}]` : address}:${port}`])
        while (!(await isAnswered(server, challenge))) {
          if (performance.now() > deadline) return
          await delay(lookMs)
        }
      }
    },
  }
}

/** A resolver that asks these servers, or those of the system. */
export function openResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: questionMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

/** A name in lower case without a dot at its end. */
export const canonical = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** The answer to a query; empty for a negative answer. Throws a transient `DriverError` when no answer comes. */
async function answersOf(question: Promise<string[]>): Promise<string[]> {
  try {
    return await question
  } catch (error) {
    if (nothing.has((error as NodeJS.ErrnoException).code ?? '')) return []
    const code = 'could_not_verify_domain_delegated_to_zone'
    throw new DriverError('the DNS resolver did not answer', { transient: true, code, cause: error })
  }
}

/**
 * Whether a server has the record of a challenge. A server that does not answer counts as ready, because the authority
 * may reach it even if we cannot.
 */
async function isAnswered(server: Resolver, { domain, value }: AuthorityChallenge): Promise<boolean> {
  try {
    const records = await server.resolveTxt(`_acme-challenge.${domain}`)
    return records.some((strings) => strings.join('') === value)
  } catch (error) {
    return !nothing.has((error as NodeJS.ErrnoException).code ?? '')
  }
}
