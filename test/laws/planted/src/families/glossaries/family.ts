/** The family of glossaries, which is planted by a test: it has a root of its own, and its plural is no type and an s. */
import { byId, defineFamily } from '../../platform.ts'
import { glossaryActions } from './actions.ts'
import { base, glossaryEndpoints } from './contract.ts'
import { glossaryRoutes } from './routes.ts'
import { glossaries as resource } from './store.ts'
import { glossaryLocks } from './tables.ts'

export const glossaries = defineFamily({
  spelling: resource,
  base,
  endpoints: glossaryEndpoints,
  routes: glossaryRoutes,
  limited: [resource],
  locks: glossaryLocks,
  resources: byId(resource),
  actions: glossaryActions,
})
