/** The family of certificates. */
import { byId, defineFamily } from '../../platform.ts'
import { certificateChanges } from './changes.ts'
import { certificateEndpoints } from './contract.ts'
import { durations } from './durations.ts'
import { certificateGauges } from './gauges.ts'
import { certificateEnds } from './host.ts'
import { certificateActions } from './managed/actions.ts'
import { nextRenewals, renewCertificates } from './managed/jobs.ts'
import { orderKeys } from './managed/tables.ts'
import { certificateRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { certificateCheckup, certificateStates } from './states.ts'
import { certificates as resource } from './store.ts'
import { certificateLocks, privateKeys } from './tables.ts'
import { nextNotices, sendExpiryNotices } from './uploaded/jobs.ts'

export const certificates = defineFamily({
  spelling: resource,
  states: certificateStates,
  gauges: [certificateGauges],
  checkup: certificateCheckup,
  changes: certificateChanges,
  seed,
  endpoints: certificateEndpoints,
  routes: certificateRoutes,
  jobs: [
    { name: 'sendExpiryNotices', due: nextNotices, run: sendExpiryNotices },
    { name: 'renewCertificates', due: nextRenewals, run: renewCertificates },
  ],
  events: certificateEnds,
  limited: [resource],
  locks: certificateLocks,
  sealed: [privateKeys, orderKeys],
  resources: byId(resource),
  durations,
  actions: certificateActions,
})
