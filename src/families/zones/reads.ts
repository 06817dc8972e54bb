/** What other families, and the name server, may ask about zones. */
export { type PrimaryNameserver, registrableName as zoneNameOf } from './domain.ts'
export { openPrimaries } from './primaries/store.ts'
export type { CaaProperty, CaaRecords } from './rrsets/caa.ts'
export { caaRecords } from './rrsets/store.ts'
export { zonesOfDomains } from './store.ts'
export type { Source } from './transfers/store.ts'
