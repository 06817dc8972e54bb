/** The family of certificates. */
import { defineFamily } from '../../platform.ts'
import { endingChore } from './chores.ts'
import { certificateEndpoints } from './contract.ts'
import { certificateRoutes } from './routes.ts'
import { getCertificate } from './store.ts'

export const certificates = defineFamily({
  name: 'certificates',
  endpoints: certificateEndpoints,
  routes: certificateRoutes,
  chores: [endingChore],
  resources: {
    type: 'certificate',
    actions: [],
    exists: ({ db }, scope, id) => getCertificate(db.query, scope, id),
  },
})
