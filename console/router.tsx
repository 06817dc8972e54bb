/** The router: addresses below /console, pages loaded when they are needed and on intent. */
import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { routeTree } from './routes.tsx'
import { MissingLater, PageFailureLater } from './shell/states-later.tsx'
import { PendingPage } from './ui/skeleton.tsx'

export function createConsoleRouter(cache: QueryClient) {
  const router = createRouter({
    routeTree,
    basepath: '/console',
    context: { cache },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 300,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingPage,
    defaultErrorComponent: PageFailureLater,
    defaultNotFoundComponent: () => <MissingLater />,
    scrollRestoration: true,
  })
  // Each page asks again for what failed on another.
  router.subscribe('onBeforeLoad', () =>
    cache.removeQueries({ predicate: ({ state }) => state.status === 'error' && state.data === undefined }),
  )
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
