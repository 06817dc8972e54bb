/** The pages of Floating IPs, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'
import { listSearch } from '../../ui/use-list.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/floating-ips',
  validateSearch: listSearch,
  loader: (asked) => Promise.all([loadList(asked, 'floating_ips_list'), loadList(asked, 'servers_list')]),
  component: lazyRouteComponent(() => import('../addresses/list.tsx'), 'FloatingIpsPage'),
})

export const entry = {
  label: { en: 'Floating IPs', de: 'Floating IPs' },
  icon: 'ip',
  place: 40,
  keys: 'G D',
  routes: { list },
  creates: 'dialog',
} as const satisfies Entry
