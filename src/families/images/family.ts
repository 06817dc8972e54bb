/** The family of images. */
import { defineFamily } from '../../platform.ts'
import { imageActions } from './actions.ts'
import { imageEndpoints } from './contract.ts'
import { imageGlance } from './glance.ts'
import { removeDeleted } from './jobs.ts'
import { imageRoutes } from './routes.ts'
import { images as resource } from './store.ts'
import { imageLocks } from './tables.ts'

export const images = defineFamily({
  name: resource.path,
  endpoints: imageEndpoints,
  routes: imageRoutes,
  jobs: [removeDeleted],
  limited: [resource],
  glance: imageGlance,
  locks: imageLocks,
  resources: {
    type: resource.type,
    find: async ({ db, catalogue }, scope, id) =>
      catalogue.imageById(id as number) ?? resource.get(db.query, scope, id as number),
  },
  actions: imageActions,
})
