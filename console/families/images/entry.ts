/** The pages of images, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/images',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'images_list', { query: { include_deprecated: true } }),
  component: lazyRouteComponent(() => import('./list.tsx'), 'ImagesPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/images/$id',
  loader: (asked) => loadOne(asked, 'images_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'ImagePage'),
})

export const entry = {
  label: { en: 'Images', de: 'Images' },
  icon: 'image',
  place: 90,
  keys: 'G I',
  routes: { list, one },
  creates: 'elsewhere',
  nameField: 'description',
} as const satisfies Entry
