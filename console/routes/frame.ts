/** The base of all routes: the root, which `routes.tsx` gives its look, the open Project, and the loaders of pages. */
import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound } from '@tanstack/react-router'
import { type Api, apiOf } from '../api/api.ts'
import type { InputOf, OperationId } from '../api/operations.ts'
import { projectsQuery, whoamiQuery } from '../api/session.ts'

export const root = createRootRouteWithContext<{ readonly cache: QueryClient }>()({
  loader: ({ context: { cache } }) =>
    Promise.all([cache.ensureQueryData(whoamiQuery), cache.ensureQueryData(projectsQuery)]),
})

/** Projects that the caller may not see are not found here, whatever the page. */
export const project = createRoute({
  getParentRoute: () => root,
  path: '/projects/$project',
  loader: async ({ context: { cache }, params }) => {
    const projects = await cache.fetchQuery(projectsQuery)
    if (!projects.some(({ id }) => id === Number(params.project))) throw notFound()
  },
})

/** Returns the route that pages of the open Project are below. */
export const inProject = () => project

export interface Asked {
  readonly context: { readonly cache: QueryClient }
  readonly params: { readonly project: string }
}

interface AskedForOne extends Asked {
  readonly params: { readonly project: string; readonly id: string }
}

/** The API of the Project of an address. */
export function apiIn({ params }: Asked): Api {
  return apiOf(Number(params.project))
}

export function load<Id extends OperationId>(asked: Asked, operation: Id, input: InputOf<Id>) {
  return asked.context.cache.ensureQueryData(apiIn(asked).query(operation, input))
}

export function loadList<Id extends OperationId>(asked: Asked, operation: Id, input = {} as InputOf<Id>) {
  return asked.context.cache.ensureQueryData(apiIn(asked).list(operation, input))
}

/** Loads the resource whose id is in the address; what cannot be an id names nothing. */
export function loadOne<Id extends OperationId & `${string}_get`>(asked: AskedForOne, operation: Id) {
  if (!/^\d{1,15}$/.test(asked.params.id)) throw notFound()
  return load(asked, operation, { params: { id: Number(asked.params.id) } } as unknown as InputOf<Id>)
}

/** Loads something of the Project itself, by an operation whose path names it. */
export function loadOfProject<Id extends OperationId & `management_${string}`>(asked: Asked, operation: Id) {
  return load(asked, operation, { params: { project_id: Number(asked.params.project) } } as unknown as InputOf<Id>)
}
