/** The pages of DNS zones and certificates. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { certificatesSearch } from '../families/certificates/search.ts'
import { resourceSearch } from '../pages/shared/search.ts'
import { type Asked, inProject, load, loadList, loadOne } from './frame.tsx'

const zones = createRoute({
  getParentRoute: inProject,
  path: '/zones',
  validateSearch: resourceSearch,
  loader: (asked) => loadList(asked, 'zones_list'),
  component: lazyRouteComponent(() => import('../families/zones/list.tsx'), 'ZonesPage'),
})

const newZone = createRoute({
  getParentRoute: inProject,
  path: '/zones/new',
  component: lazyRouteComponent(() => import('../families/zones/new.tsx'), 'NewZonePage'),
})

const zone = createRoute({
  getParentRoute: inProject,
  path: '/zones/$zone/{-$tab}',
  validateSearch: resourceSearch,
  loader: loadZone,
  component: lazyRouteComponent(() => import('../families/zones/zone-page.tsx'), 'ZonePage'),
})

const importZone = createRoute({
  getParentRoute: inProject,
  path: '/zones/$zone/import',
  loader: loadZone,
  component: lazyRouteComponent(() => import('../families/zones/import.tsx'), 'ImportPage'),
})

const certificates = createRoute({
  getParentRoute: inProject,
  path: '/certificates',
  validateSearch: certificatesSearch,
  loader: (asked) => loadList(asked, 'certificates_list'),
  component: lazyRouteComponent(() => import('../families/certificates/list.tsx'), 'CertificatesPage'),
})

const newCertificate = createRoute({
  getParentRoute: inProject,
  path: '/certificates/new',
  component: lazyRouteComponent(() => import('../families/certificates/new.tsx'), 'NewCertificatePage'),
})

const upload = createRoute({
  getParentRoute: inProject,
  path: '/certificates/upload',
  component: lazyRouteComponent(() => import('../families/certificates/upload.tsx'), 'UploadPage'),
})

const certificate = createRoute({
  getParentRoute: inProject,
  path: '/certificates/$id',
  loader: (asked) => loadOne(asked, 'certificates_get'),
  component: lazyRouteComponent(() => import('../families/certificates/detail.tsx'), 'CertificatePage'),
})

export const namePages = [zones, newZone, zone, importZone, certificates, newCertificate, upload, certificate] as const

interface AskedForZone extends Asked {
  readonly params: { readonly project: string; readonly zone: string }
}

function loadZone(asked: AskedForZone) {
  return load(asked, 'zones_get', { params: { id_or_name: asked.params.zone } })
}
