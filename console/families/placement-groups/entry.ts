/** The pages of placement groups, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/placement-groups',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'placement_groups_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'PlacementGroupsPage'),
})

export const entry = {
  label: { en: 'Placement groups', de: 'Placement Groups' },
  icon: 'spread',
  place: 120,
  keys: 'G B',
  routes: { list },
  creates: 'dialog',
} as const satisfies Entry
