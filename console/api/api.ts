/** How pages read and change things: typed calls, and queries whose keys are the operation and its input. */
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { call } from './client.ts'
import { type InputOf, type OperationId, operationOf, type ReplyFor } from './operations.ts'

/** The key of a reply: the Project, the operation and what it was asked. */
export type ReplyKey = readonly [project: number | undefined, operation: OperationId, input: unknown]

type ListField<Id extends OperationId> = {
  [Key in keyof ReplyFor<Id>]: ReplyFor<Id>[Key] extends readonly unknown[] ? Key : never
}[keyof ReplyFor<Id>]
export type ItemOf<Id extends OperationId> = ReplyFor<Id>[ListField<Id>] extends readonly (infer Item)[] ? Item : never

/** The most that one page of a list may have at the doors of the console. */
const perPage = 50
const atOnce = 6

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

interface Page {
  readonly meta?: { readonly pagination: { readonly last_page: number | null; readonly next_page: number | null } }
}

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
  const pages = [await ask(1)]
  const last = pages[0]?.meta?.pagination.last_page ?? null
  if (last !== null) {
    for (let page = 2; page <= last; page += atOnce) {
      const numbers = Array.from({ length: Math.min(atOnce, last - page + 1) }, (_, index) => page + index)
      pages.push(...(await Promise.all(numbers.map(ask))))
    }
  } else {
    // Lists that do not count their entries only tell whether there are more.
    for (let next = pages[0]?.meta?.pagination.next_page; next; next = pages.at(-1)?.meta?.pagination.next_page) {
      pages.push(await ask(next))
    }
  }
  return pages.flatMap(({ items }) => items)
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

/** Marks replies as outdated: all of the families named, whatever they were asked. */
export function outdate(client: QueryClient, project: number | undefined, families: readonly string[]): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [owner, operation] }) =>
      owner === project && families.some((family) => String(operation).startsWith(`${family}_`)),
  })
}

/** Marks replies of the open Project as outdated after a change. */
export function useOutdate(): (...families: string[]) => Promise<void> {
  const client = useQueryClient()
  const project = useProjectId()
  return (...families) => outdate(client, project, families)
}
