/** The family of DNS zones and the RRSets in them. */
import { defineFamily } from '../../platform.ts'
import { zoneActions } from './actions.ts'
import { announcementsChore, contentsChore } from './chores.ts'
import { zoneEndpoints } from './contract.ts'
import { zoneRoutes } from './routes.ts'
import { rrsetEndpoints } from './rrset-contract.ts'
import { rrsetRoutes } from './rrset-routes.ts'
import { defaultZoneSettings } from './settings.ts'
import { getZone, limitedZones } from './store.ts'
import { zoneLocks } from './tables.ts'

export const zones = defineFamily({
  name: 'zones',
  endpoints: { ...zoneEndpoints, ...rrsetEndpoints },
  routes: (platform) => ({ ...zoneRoutes(platform), ...rrsetRoutes(platform) }),
  chores: [announcementsChore, contentsChore],
  limited: [limitedZones],
  locks: zoneLocks,
  defaults: (domain) => ({ zones: defaultZoneSettings(domain) }),
  resources: {
    type: 'zone',
    param: 'id_or_name',
    find: ({ db }, scope, key) => getZone(db.query, scope, String(key)),
  },
  actions: zoneActions,
})
