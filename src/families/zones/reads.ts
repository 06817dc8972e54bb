/** What other families, and the name server, may ask about zones. */
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { registrableName, type Zone } from './domain.ts'
import { zonesByName } from './store.ts'

export type { PrimaryNameserver } from './domain.ts'
export { openPrimaries } from './primaries/store.ts'
export { type CaaProperty, type CaaRecords, caaRecords } from './rrsets/caa.ts'
export type { Source } from './transfers/store.ts'

/** The name of the zone that a domain (or a wildcard such as `*.example.com`) can lie in; undefined when none can be. */
export const zoneNameOf = registrableName

/** The Project's zones in which domains lie, by domain; those without a zone are missing. */
export async function zonesOfDomains(
  query: Queries,
  scope: ProjectScope,
  domains: readonly string[],
): Promise<ReadonlyMap<string, Pick<Zone, 'id' | 'name' | 'mode' | 'contentId'>>> {
  const named = domains.flatMap((domain) => {
    const name = zoneNameOf(domain)
    return name === undefined ? [] : [{ domain, name }]
  })
  const zones = await zonesByName(query, scope, [...new Set(named.map(({ name }) => name))])
  return new Map(
    named.flatMap(({ domain, name }) => {
      const zone = zones.find((one) => one.name === name)
      return zone ? [[domain, zone]] : []
    }),
  )
}
