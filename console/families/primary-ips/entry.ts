/** The pages of Primary IPs, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'
import { listSearch } from '../../ui/use-list.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/primary-ips',
  validateSearch: listSearch,
  loader: (asked) => Promise.all([loadList(asked, 'primary_ips_list'), loadList(asked, 'servers_list')]),
  component: lazyRouteComponent(() => import('../addresses/list.tsx'), 'PrimaryIpsPage'),
})

export const entry = {
  label: { en: 'Primary IPs', de: 'Primary IPs' },
  icon: 'primary',
  place: 50,
  keys: 'G P',
  routes: { list },
  creates: 'dialog',
} as const satisfies Entry
