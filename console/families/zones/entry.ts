/** The pages of DNS zones, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { resourceSearch } from '../../pages/shared/search.ts'
import type { Entry } from '../../routes/entry.ts'
import { type Asked, inProject, load, loadList } from '../../routes/frame.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/zones',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'zones_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'ZonesPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/zones/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewZonePage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/zones/$zone/{-$tab}',
  validateSearch: resourceSearch,
  loader: loadZone,
  component: lazyRouteComponent(() => import('./zone-page.tsx'), 'ZonePage'),
})

const importing = createRoute({
  getParentRoute: inProject,
  path: '/zones/$zone/import',
  loader: loadZone,
  component: lazyRouteComponent(() => import('./import.tsx'), 'ImportPage'),
})

export const entry = {
  label: { en: 'DNS zones', de: 'DNS-Zonen' },
  icon: 'zone',
  place: 110,
  keys: 'G Z',
  routes: { list, create, one, importing },
  isKnownByName: true,
} as const satisfies Entry

interface AskedForZone extends Asked {
  readonly params: { readonly project: string; readonly zone: string }
}

function loadZone(asked: AskedForZone) {
  return load(asked, 'zones_get', { params: { id_or_name: asked.params.zone } })
}
