/** The family of images. */
import { defineFamily } from '../../platform.ts'
import { imageActions } from './actions.ts'
import { imageEndpoints } from './contract.ts'
import { removeDeleted } from './jobs.ts'
import { imageCosts, imageRates } from './prices.ts'
import { imageRoutes } from './routes.ts'
import { seed } from './seed.ts'
import { images as resource } from './store.ts'
import { imageLocks } from './tables.ts'

export const images = defineFamily({
  spelling: resource,
  entries: ({ images }) => images,
  seed,
  endpoints: imageEndpoints,
  routes: imageRoutes,
  jobs: [{ name: 'removeDeleted', due: 'whenever', run: removeDeleted }],
  limited: [resource],
  costs: imageCosts,
  rates: imageRates,
  locks: imageLocks,
  resources: {
    find: async ({ db, catalogue }, scope, id) =>
      catalogue.imageById(id as number) ?? resource.get(db.query, scope, id as number),
  },
  actions: imageActions,
})
