/** The pages of Storage Boxes, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'
import { listSearch } from '../../ui/use-list.ts'
import { filesSearch } from './search.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/storage-boxes',
  validateSearch: listSearch,
  loader: (asked) => loadList(asked, 'storage_boxes_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'BoxesPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/storage-boxes/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewBoxPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/storage-boxes/$id/{-$tab}',
  validateSearch: filesSearch,
  loader: (asked) => loadOne(asked, 'storage_boxes_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'BoxPage'),
})

export const entry = {
  label: { en: 'Storage Boxes', de: 'Storage-Boxen' },
  icon: 'box',
  place: 75,
  keys: 'G X',
  routes: { list, create, one },
} as const satisfies Entry
