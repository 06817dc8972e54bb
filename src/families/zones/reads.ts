/** What other families, and the name server, may ask about zones. */
import type { Queries } from '../../kernel/data/db.ts'
import type { ProjectScope } from '../../kernel/scope.ts'
import { registrableName, type Zone } from './domain.ts'
import { findZone } from './store.ts'

export { type CaaProperty, type CaaRecords, caaRecords } from './caa.ts'
export type { PrimaryNameserver } from './domain.ts'
export { openPrimaries } from './primaries.ts'
export type { Source } from './transfers.ts'

/** The zone of the Project that a domain (or a wildcard such as `*.example.com`) lies in; undefined when it has none. */
export async function zoneOfDomain(
  query: Queries,
  scope: ProjectScope,
  domain: string,
): Promise<Pick<Zone, 'id' | 'name' | 'mode' | 'contentId'> | undefined> {
  const name = registrableName(domain)
  return name === undefined ? undefined : findZone(query, scope, name)
}
