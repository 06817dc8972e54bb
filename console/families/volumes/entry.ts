/** The pages of volumes, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/volumes',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'volumes_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'VolumesPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/volumes/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewVolumePage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/volumes/$id',
  loader: (asked) => loadOne(asked, 'volumes_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'VolumePage'),
})

export const entry = {
  label: { en: 'Volumes', de: 'Volumes' },
  icon: 'volume',
  place: 70,
  keys: 'G V',
  routes: { list, create, one },
} as const satisfies Entry
