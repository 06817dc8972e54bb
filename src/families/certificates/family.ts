/** The family of certificates. */
import { byId, defineFamily } from '../../platform.ts'
import { certificateChanges } from './changes.ts'
import { certificateEndpoints } from './contract.ts'
import { certificateActions } from './managed/actions.ts'
import { renewCertificates } from './managed/jobs.ts'
import { certificateRoutes } from './routes.ts'
import { certificateStates } from './states.ts'
import { certificates as resource } from './store.ts'
import { certificateLocks } from './tables.ts'
import { sendExpiryNotices } from './uploaded/jobs.ts'

export const certificates = defineFamily({
  spelling: resource,
  states: certificateStates,
  changes: certificateChanges,
  endpoints: certificateEndpoints,
  routes: certificateRoutes,
  jobs: [sendExpiryNotices, renewCertificates],
  limited: [resource],
  locks: certificateLocks,
  resources: byId(resource),
  actions: certificateActions,
})
