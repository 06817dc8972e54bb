/** Does the parent of each zone delegate it to our name servers? */
import { resolvingDelegation } from '../../drivers/resolver/delegation.ts'
import { servedZonesAfter } from '../../families/zones/host.ts'
import { counted, failure, fine, type Seen, unknown } from '../diagnosis.ts'
import type { Patient } from '../patient.ts'

/** The number of zones that are asked for, in all and at once. */
const mostZones = 20
const atOnce = 10

export async function checkDelegation({ open, delegation, nameservers }: Patient): Promise<readonly Seen[]> {
  const zones = await servedZonesAfter((await open()).query, 0, mostZones + 1)
  if (zones.length === 0) return [fine('zones', 'there are none')]
  const asked = zones.slice(0, mostZones)
  const rest = zones.length > mostZones ? [unknown('zones', `only the first ${mostZones} were looked at`, null)] : []
  if (delegation === 'off') {
    const seen = 'not looked at: --delegation-check is off'
    return [unknown('zones', seen, 'start wolke serve with --delegation-check on')]
  }
  const driver = resolvingDelegation({ nameservers, resolver: delegation.resolver })
  const found: Seen[] = []
  for (let from = 0; from < asked.length; from += atOnce) {
    const some = asked.slice(from, from + atOnce)
    found.push(...(await Promise.all(some.map(({ name }) => zoneSeen(name, driver, nameservers)))))
  }
  const good = found.filter(({ verdict }) => verdict === 'ok')
  const others = found.filter(({ verdict }) => verdict !== 'ok')
  const told = good.length > 0 ? [fine('zones', `${counted(good.length, 'zone')} delegated to us`)] : []
  return [...others, ...told, ...rest]
}

async function zoneSeen(
  name: string,
  driver: ReturnType<typeof resolvingDelegation>,
  nameservers: readonly string[],
): Promise<Seen> {
  try {
    if (await driver.isDelegated(name)) return fine(name, 'is delegated')
    const advice = `let the registrar of ${name} name ${nameservers.join(' ')}`
    return failure(name, 'its parent does not delegate it to our name servers', advice)
  } catch {
    // The driver has one error: nobody answers.
    return unknown(name, 'the resolver does not answer', 'see the network, or let --resolver name another one')
  }
}
