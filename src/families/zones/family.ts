/** The family of DNS zones and the RRSets in them. */
import { defineFamily } from '../../platform.ts'
import { zoneActions } from './actions.ts'
import { zoneChanges } from './changes.ts'
import { zoneEndpoints } from './contract.ts'
import { zoneGauges } from './gauges.ts'
import { zoneJobs } from './jobs.ts'
import { zoneRoutes } from './routes.ts'
import { rrsetEndpoints } from './rrsets/contract.ts'
import { rrsetRoutes } from './rrsets/routes.ts'
import { seed } from './seed.ts'
import { defaultZoneSettings } from './settings.ts'
import { zoneCheckup, zoneStates } from './states.ts'
import { getZone, zones as resource, withdrawZones } from './store.ts'
import { transferKeys, zoneKeys, zoneLocks } from './tables.ts'
import { nextChecks } from './transfers/host.ts'
import { zonefileEndpoints } from './zonefiles/contract.ts'
import { zonefileRoutes } from './zonefiles/routes.ts'

export const zones = defineFamily({
  spelling: resource,
  changes: zoneChanges,
  seed,
  endpoints: { ...zoneEndpoints, ...zonefileEndpoints, ...rrsetEndpoints },
  routes: (platform) => ({ ...zoneRoutes(platform), ...zonefileRoutes(platform), ...rrsetRoutes(platform) }),
  jobs: zoneJobs,
  serviceEvents: ({ db }, ...asked) => nextChecks(db.query, ...asked),
  limited: [resource],
  locks: zoneLocks,
  sealed: [transferKeys, zoneKeys],
  defaults: (domain) => ({ zones: defaultZoneSettings(domain) }),
  resources: {
    param: 'id_or_name',
    find: ({ db }, scope, key) => getZone(db.query, scope, String(key)),
  },
  actions: zoneActions,
  states: zoneStates,
  gauges: [zoneGauges],
  checkup: zoneCheckup,
  withdraw: withdrawZones,
})
