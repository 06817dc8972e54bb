/** Images as a family: their endpoints, their actions and what answers them. */
import { defineFamily } from '../../platform.ts'
import { imageActions } from './actions.ts'
import { removalChore } from './chores.ts'
import { imageEndpoints } from './contract.ts'
import { imageRoutes } from './routes.ts'
import { getImage, limitedImages } from './store.ts'
import { imageLocks } from './tables.ts'

export const images = defineFamily({
  name: 'images',
  endpoints: imageEndpoints,
  routes: imageRoutes,
  chores: [removalChore],
  limited: [limitedImages],
  locks: imageLocks,
  resources: {
    type: 'image',
    find: async ({ db, catalogue }, scope, id) =>
      catalogue.imageById(id as number) ?? getImage(db.query, scope, id as number),
  },
  actions: imageActions,
})
