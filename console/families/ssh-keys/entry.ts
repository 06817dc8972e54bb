/** The pages of SSH keys, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/security/ssh-keys',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'ssh_keys_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'SshKeysPage'),
})

export const entry = {
  label: { en: 'SSH keys', de: 'SSH-Schlüssel' },
  icon: 'key',
  place: 210,
  keys: 'G K',
  routes: { list },
  creates: 'dialog',
  group: 'security',
} as const satisfies Entry
