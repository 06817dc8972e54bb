/** Typed calls for pages, and queries whose keys are the operation and its input. */

import { queryOptions } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { call } from './client.ts'
import type { Page } from './further-pages.ts'
import { type InputOf, type OperationId, operationOf, type ReplyFor } from './operations.ts'

/** The key of a reply: the Project, the operation and what it was asked. */
export type ReplyKey = readonly [project: number | undefined, operation: OperationId, input: unknown]

type ListField<Id extends OperationId> = {
  [Key in keyof ReplyFor<Id>]: ReplyFor<Id>[Key] extends readonly unknown[] ? Key : never
}[keyof ReplyFor<Id>]
export type ItemOf<Id extends OperationId> = ReplyFor<Id>[ListField<Id>] extends readonly (infer Item)[] ? Item : never

/** The most that one page of a list may have at the doors of the console. */
const perPage = 1_000

/** The API of one Project; without a Project, that of the installation. */
export function apiOf(project: number | undefined) {
  return {
    project,
    /** Errors: `ApiFailure`. */
    call: <Id extends OperationId>(operation: Id, input: InputOf<Id>): Promise<ReplyFor<Id>> =>
      call(project, operation, input),
    /** A reply, as an option of `useSuspenseQuery` and of loaders. */
    query: <Id extends OperationId>(operation: Id, input: InputOf<Id>) =>
      queryOptions({
        queryKey: [project, operation, input] as ReplyKey,
        queryFn: ({ signal }) => call(project, operation, input, signal),
      }),
    /** All entries of a list, whatever its pages. */
    list: <Id extends OperationId>(operation: Id, input: InputOf<Id>) =>
      queryOptions({
        queryKey: [project, operation, { ...input, all: true }] as ReplyKey,
        queryFn: ({ signal }) => allOf(project, operation, input, signal),
      }),
  }
}

export type Api = ReturnType<typeof apiOf>

async function allOf<Id extends OperationId>(
  project: number | undefined,
  operation: Id,
  input: InputOf<Id>,
  signal: AbortSignal,
): Promise<readonly ItemOf<Id>[]> {
  const { isPaged } = operationOf(operation)
  const ask = async (page: number) => {
    const query = isPaged ? { ...input.query, page, per_page: perPage } : input.query
    const reply = await call(project, operation, { ...input, query } as InputOf<Id>, signal)
    return { ...(reply as Page), items: itemsOf(reply) as readonly ItemOf<Id>[] }
  }
  const first = await ask(1)
  if (!first.meta?.pagination.next_page) return first.items
  const { furtherPages } = await import('./further-pages.ts')
  return [first, ...(await furtherPages(first, ask))].flatMap(({ items }) => items)
}

function itemsOf(reply: unknown): readonly unknown[] {
  return Object.values(reply as object).find((part) => Array.isArray(part)) ?? []
}

/** The Project of the address; undefined on pages of the installation. */
export function useProjectId(): number | undefined {
  const { project } = useParams({ strict: false }) as { readonly project?: string }
  return project === undefined ? undefined : Number(project)
}

/** The API of the Project whose page is open. */
export function useApi(): Api {
  const project = useProjectId()
  return useMemo(() => apiOf(project), [project])
}
