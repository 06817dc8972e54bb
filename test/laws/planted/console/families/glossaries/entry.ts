/** The page of glossaries, and its place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/glossaries',
  loader: (asked) => loadList(asked, 'glossaries_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'GlossariesPage'),
})

export const entry = {
  label: { en: 'Glossaries', de: 'Glossare' },
  icon: 'report',
  place: 130,
  keys: 'G Y',
  routes: { list },
  creates: 'elsewhere',
} as const satisfies Entry
