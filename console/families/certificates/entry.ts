/** The pages of certificates, and their place in the navigation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Entry } from '../../routes/entry.ts'
import { inProject, loadList, loadOne } from '../../routes/frame.ts'
import { certificatesSearch } from './search.ts'

const list = createRoute({
  getParentRoute: inProject,
  path: '/certificates',
  validateSearch: certificatesSearch,
  loader: (asked) => loadList(asked, 'certificates_list'),
  component: lazyRouteComponent(() => import('./list.tsx'), 'CertificatesPage'),
})

const create = createRoute({
  getParentRoute: inProject,
  path: '/certificates/new',
  component: lazyRouteComponent(() => import('./new.tsx'), 'NewCertificatePage'),
})

const upload = createRoute({
  getParentRoute: inProject,
  path: '/certificates/upload',
  component: lazyRouteComponent(() => import('./upload.tsx'), 'UploadPage'),
})

const one = createRoute({
  getParentRoute: inProject,
  path: '/certificates/$id',
  loader: (asked) => loadOne(asked, 'certificates_get'),
  component: lazyRouteComponent(() => import('./detail.tsx'), 'CertificatePage'),
})

export const entry = {
  label: { en: 'Certificates', de: 'Zertifikate' },
  icon: 'cert',
  place: 100,
  keys: 'G C',
  routes: { list, create, upload, one },
} as const satisfies Entry
