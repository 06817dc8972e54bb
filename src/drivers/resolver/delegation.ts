/** Looks at DNS as others see it, through a resolver: whether zones lead to our name servers, and what those answer. */
import { Resolver } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { AuthorityChallenge, DelegationDriver } from '../../families/certificates/driver.ts'
import { DriverError } from '../../kernel/actions/define.ts'

export interface DelegationOptions {
  /** Names of our name servers, absolute with a trailing dot. */
  readonly nameservers: readonly string[]
  /** Address of the resolver, with a port if it is another than 53; undefined takes those of the machine. */
  readonly resolver: string | undefined
  /** Where name servers listen, and how often they are asked for a record that they do not have yet, in milliseconds. */
  readonly port?: number
  readonly lookMs?: number
}

/** How long one question may take, and how long a record may take to be everywhere, in milliseconds. */
const questionMs = 3_000
const propagationMs = 20_000
/** Answers that say that there is nothing, in contrast to there being no answer. */
const nothing = new Set(['ENOTFOUND', 'ENODATA'])

/** Makes the driver; it asks nobody before it is asked. */
export function resolvingDelegation(options: DelegationOptions): DelegationDriver {
  const { nameservers, resolver, port = 53, lookMs = 1_000 } = options
  const ours = new Set(nameservers.map((name) => canonical(name)))
  const outside = openResolver(resolver === undefined ? [] : [resolver])

  const nameserversOf = async (zone: string) => (await answersOf(outside.resolveNs(zone))).map(canonical)

  /** Addresses of those of our name servers that the zone is delegated to. Others are not asked: tenants name them. */
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

function openResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: questionMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)
  return resolver
}

const canonical = (name: string) => name.toLowerCase().replace(/\.$/, '')

/** What a question is answered with; nothing, when that is the answer. Errors: `DriverError` when there is none. */
async function answersOf(question: Promise<string[]>): Promise<string[]> {
  try {
    return await question
  } catch (error) {
    if (nothing.has((error as NodeJS.ErrnoException).code ?? '')) return []
    const code = 'could_not_verify_domain_delegated_to_zone'
    throw new DriverError('DNS does not answer', { transient: true, code, cause: error })
  }
}

/** A server that cannot be asked from here may still be one that the authority can ask. */
async function isAnswered(server: Resolver, { domain, value }: AuthorityChallenge): Promise<boolean> {
  try {
    const records = await server.resolveTxt(`_acme-challenge.${domain}`)
    return records.some((strings) => strings.join('') === value)
  } catch (error) {
    return !nothing.has((error as NodeJS.ErrnoException).code ?? '')
  }
}
