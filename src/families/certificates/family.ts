/** The family of certificates. */
import { defineFamily } from '../../platform.ts'
import { certificateActions } from './actions.ts'
import { endingChore } from './chores.ts'
import { certificateEndpoints } from './contract.ts'
import { renewalChore } from './renewals.ts'
import { certificateRoutes } from './routes.ts'
import { getCertificate, limitedCertificates } from './store.ts'
import { certificateLocks } from './tables.ts'

export const certificates = defineFamily({
  name: 'certificates',
  endpoints: certificateEndpoints,
  routes: certificateRoutes,
  chores: [endingChore, renewalChore],
  limited: [limitedCertificates],
  locks: certificateLocks,
  resources: {
    type: 'certificate',
    find: ({ db }, scope, id) => getCertificate(db.query, scope, id as number),
  },
  actions: certificateActions,
})
