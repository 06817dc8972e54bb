/** Counts the zones that somebody has to care about. */
import { counted, failure, fine, type Seen, unknown } from '../../kernel/process/seen.ts'
import type { Checkup, CheckupParts, States } from '../../platform.ts'
import { servedZonesAfter, staleZones } from './host.ts'
import { signingsSeen } from './signing/states.ts'

export const zoneStates: States = {
  async failed({ db }, ids) {
    const rows = await staleZones(db.query, ids)
    return new Map(rows.map(({ project_id, count }) => [project_id, Number(count)]))
  },
}

/** So many zones are asked for, and so many at once. */
const mostAsked = 20
const atOnce = 10

/** Whether the parent of each zone delegates it to our name servers. */
export const zoneCheckup: Checkup = async (parts) => [
  ...(await delegations(parts)),
  ...(await signingsSeen(parts.query)),
]

async function delegations({ query, isDelegated, nameservers }: CheckupParts): Promise<Seen[]> {
  const zones = await servedZonesAfter(query, 0, mostAsked + 1)
  if (zones.length === 0) return [fine('delegation', 'there are none')]
  if (!isDelegated) {
    const advice = 'start wolke serve with --delegation-check on'
    return [unknown('delegation', 'not looked at: --delegation-check is off', advice)]
  }
  const asked = zones.slice(0, mostAsked)
  const found: Seen[] = []
  for (let from = 0; from < asked.length; from += atOnce) {
    const some = asked.slice(from, from + atOnce)
    found.push(...(await Promise.all(some.map(({ name }) => delegationOf(name, isDelegated, nameservers)))))
  }
  const good = found.filter(({ verdict }) => verdict === 'ok').length
  const rest = zones.length > mostAsked ? [unknown('delegation', `only ${mostAsked} were looked at`, null)] : []
  return [
    ...found.filter(({ verdict }) => verdict !== 'ok'),
    ...(good > 0 ? [fine('delegation', `${counted(good, 'zone')} delegated to us`)] : []),
    ...rest,
  ]
}

async function delegationOf(
  name: string,
  isDelegated: NonNullable<CheckupParts['isDelegated']>,
  nameservers: readonly string[],
): Promise<Seen> {
  try {
    if (await isDelegated(name)) return fine(name, 'is delegated')
    const advice = `let the registrar of ${name} name ${nameservers.join(' ')}`
    return failure(name, 'its parent does not delegate it to our name servers', advice)
  } catch {
    // The driver has one error: nobody answers.
    return unknown(name, 'the resolver does not answer', 'see the network, or let --resolver name another one')
  }
}
