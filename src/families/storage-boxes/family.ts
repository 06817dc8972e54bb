/** The family of Storage Boxes. */
import { storageBase } from '../../kernel/contract/bases.ts'
import { eventsOfRows } from '../../kernel/resource/clock-events.ts'
import { byId, defineFamily, defineOwn, type Events } from '../../platform.ts'
import { boxActions } from './actions.ts'
import { storageBoxChanges } from './changes.ts'
import { storageBoxEndpoints } from './contract.ts'
import { states } from './desired.ts'
import { durations } from './durations.ts'
import { fileEndpoints, StorageDoors } from './files/contract.ts'
import { fileRoutes } from './files/routes.ts'
import { doorsToWire } from './files/work.ts'
import { storageBoxGauges } from './gauges.ts'
import { followDoors, keepDoors } from './jobs.ts'
import { storageBoxCosts, storageBoxRates } from './prices.ts'
import { storageBoxRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { defaultStorageBoxSettings } from './settings.ts'
import { snapshotActions } from './snapshots/actions.ts'
import { measure, startPlanned } from './snapshots/jobs.ts'
import { boxes } from './store.ts'
import { subaccountActions } from './subaccounts/actions.ts'
import { storageBoxLocks } from './tables.ts'
import { usageEndpoints } from './usage/contract.ts'
import { usageRoutes } from './usage/routes.ts'

const planned: Events = ({ db }, afterMs, limit) =>
  eventsOfRows(
    db.query,
    {
      ...{ table: 'storage_box', column: 'plan_next', holds: 'timestamp', type: 'storage_box', event: 'snapshot' },
      where: 'plan_next is not null',
    },
    afterMs,
    limit,
  )

export const storageBoxes = defineFamily({
  spelling: boxes,
  otherBases: [storageBase],
  changes: storageBoxChanges,
  costs: storageBoxCosts,
  rates: storageBoxRates,
  gauges: [storageBoxGauges],
  seed,
  endpoints: storageBoxEndpoints,
  routes: storageBoxRoutes,
  own: defineOwn({ ...fileEndpoints, ...usageEndpoints }, (platform, drivers) => ({
    ...fileRoutes(platform, drivers),
    ...usageRoutes(platform),
  })),
  facilities: { schema: StorageDoors, tell: doorsToWire },
  limited: [boxes],
  locks: storageBoxLocks,
  resources: byId(boxes),
  defaults: (domain) => ({ storageBoxes: defaultStorageBoxSettings(domain) }),
  durations,
  actions: [...boxActions, ...snapshotActions, ...subaccountActions],
  desired: [states],
  jobs: [
    { name: 'startPlanned', due: planned, run: startPlanned },
    { name: 'measure', due: 'whenever', run: measure },
    { name: 'keepDoors', due: 'whenever', run: keepDoors },
    { name: 'followDoors', due: 'shared', run: followDoors },
  ],
})
