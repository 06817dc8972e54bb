/** Pages outside of Projects: all Projects, one's own account, and the installation. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { apiOf } from '../api/api.ts'
import { root } from './frame.ts'

const own = apiOf(undefined)
const account = createRoute({ getParentRoute: () => root, path: '/account' })

const projects = createRoute({
  getParentRoute: () => root,
  path: '/',
  loader: async ({ context: { cache } }) =>
    cache.ensureQueryData((await import('../pages/home/summaries.ts')).summariesQuery),
  component: lazyRouteComponent(() => import('../pages/home/projects.tsx'), 'ProjectsPage'),
})

const profile = createRoute({
  getParentRoute: () => account,
  path: '/profile',
  loader: ({ context: { cache } }) => cache.ensureQueryData(own.query('people_account', {})),
  component: lazyRouteComponent(() => import('../pages/account/profile.tsx'), 'ProfilePage'),
})

const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  loader: ({ context: { cache } }) =>
    Promise.all([
      cache.ensureQueryData(own.query('people_account', {})),
      cache.ensureQueryData(own.query('people_credentials', {})),
    ]),
  component: lazyRouteComponent(() => import('../pages/account/security.tsx'), 'SecurityPage'),
})

const sessions = createRoute({
  getParentRoute: () => account,
  path: '/sessions',
  loader: ({ context: { cache } }) => cache.ensureQueryData(own.query('people_sessions', {})),
  component: lazyRouteComponent(() => import('../pages/account/sessions.tsx'), 'SessionsPage'),
})

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin/{-$tab}',
  loader: async ({ context: { cache }, params }) =>
    (await import('../pages/admin/data.ts')).loadAdmin(cache, params.tab),
  component: lazyRouteComponent(() => import('../pages/admin/page.tsx'), 'AdminPage'),
})

export const installationPages = [projects, account.addChildren([profile, security, sessions]), admin] as const
