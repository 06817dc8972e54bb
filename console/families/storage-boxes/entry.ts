/** The page of Storage Boxes, and its place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/storage-boxes',
  loader: (asked) => loadList(asked, 'storage_boxes_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'StorageBoxesPage'),
})

export const entry = {
  label: { en: 'Storage Boxes', de: 'Storage-Boxen' },
  icon: 'upload',
  place: 75,
  keys: 'G X',
  routes: { list },
  creates: 'elsewhere',
} as const satisfies Entry
