/** The pages of a Project itself: its overview, who reaches what, what happened there, who may what, and its settings. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { activitySearch, auditSearch } from '../pages/activity/search.ts'
import { loadReach, reachSearch } from '../pages/reach/search.ts'
import { apiIn, inProject, load, loadOfProject } from './frame.ts'

const overview = createRoute({
  getParentRoute: inProject,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/overview/overview.tsx'), 'OverviewPage'),
})

const reach = createRoute({
  getParentRoute: inProject,
  path: '/reach',
  validateSearch: reachSearch,
  loader: (asked) => loadReach(asked.context.cache, apiIn(asked)),
  component: lazyRouteComponent(() => import('../pages/reach/page.tsx'), 'ReachPage'),
})

const activity = createRoute({
  getParentRoute: inProject,
  path: '/activity',
  validateSearch: activitySearch,
  component: lazyRouteComponent(() => import('../pages/activity/activity.tsx'), 'ActivityPage'),
})

const tokens = createRoute({
  getParentRoute: inProject,
  path: '/security/tokens',
  loader: (asked) => loadOfProject(asked, 'management_listTokens'),
  component: lazyRouteComponent(() => import('../pages/access/tokens.tsx'), 'TokensPage'),
})

const members = createRoute({
  getParentRoute: inProject,
  path: '/security/members',
  loader: (asked) => loadOfProject(asked, 'management_listMembers'),
  component: lazyRouteComponent(() => import('../pages/access/members.tsx'), 'MembersPage'),
})

const audit = createRoute({
  getParentRoute: inProject,
  path: '/security/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/activity/audit.tsx'), 'AuditPage'),
})

const settings = createRoute({
  getParentRoute: inProject,
  path: '/settings',
  loader: (asked) =>
    Promise.all([
      loadOfProject(asked, 'management_getProject'),
      loadOfProject(asked, 'management_getLimits'),
      load(asked, 'pricing_get', {}),
    ]),
  component: lazyRouteComponent(() => import('../pages/settings/settings.tsx'), 'SettingsPage'),
})

const operations = createRoute({
  getParentRoute: inProject,
  path: '/raw',
  validateSearch: ({ q }: Record<string, unknown>): { readonly q?: string } => (q ? { q: String(q) } : {}),
  component: lazyRouteComponent(() => import('../pages/raw/operations.tsx'), 'OperationsPage'),
})

const request = createRoute({
  getParentRoute: inProject,
  path: '/raw/$operation',
  component: lazyRouteComponent(() => import('../pages/raw/request.tsx'), 'RequestPage'),
})

export const projectPages = [overview, reach, activity, tokens, members, audit, settings, operations, request] as const
