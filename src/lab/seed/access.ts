/** A Project is reached in this process or elsewhere; reading it is written once for both. */
import { ApiError } from '../../kernel/errors.ts'
import type { Fields } from '../../kernel/resource/seed.ts'
import type { SeedOperation } from './kinds.ts'

export interface Given {
  readonly params?: Readonly<Record<string, number | string>>
  readonly query?: Readonly<Record<string, number | string>>
  readonly body?: Fields
}

export interface Access {
  /** Carries out an operation of the public API; returns its reply. Errors: `ApiError`. */
  call(operation: SeedOperation, given: Given): Promise<Fields>
}

/** The number of entries that are asked for at a time, which servers of every age have. */
const perPage = 50

/** The parameters of a path that name a resource of which an operation is. */
export function paramsOf({ endpoint: { path } }: SeedOperation, id: number): Record<string, number | string> {
  return path.includes('{id_or_name}') ? { id_or_name: String(id) } : { id }
}

/** The error of an answer that is none of this API. */
export function strange(detail: string): ApiError {
  return new ApiError('service_error', `answered something else than this API: ${detail}`, { status: 502 })
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The entries of all pages of a list, page by page. Errors: `ApiError`, also for a list that leads back. */
export async function* pagesOf(path: string, get: (page: number) => Promise<Fields>): AsyncGenerator<Fields[]> {
  for (let page: number | null = 1; page !== null; ) {
    const { meta, ...lists }: Fields = await get(page)
    const entries: unknown = Object.values(lists).find(Array.isArray)
    if (!Array.isArray(entries)) throw strange(`${path} has no list`)
    if (!entries.every(isObject)) throw strange(`${path} has an entry that is no object`)
    yield entries
    const next: unknown = meta?.pagination?.next_page ?? null
    // A server that leads back would be followed for ever.
    if (next !== null && !(Number.isSafeInteger(next) && (next as number) > page))
      throw strange(`${path} has no page after page ${page} and yet a next one`)
    page = next as number | null
  }
}

/** All entries of a list, in the order of the ids. Errors: `ApiError`. */
export async function readAll(access: Access, operation: SeedOperation, given: Given = {}): Promise<Fields[]> {
  const get = (page: number) => access.call(operation, { ...given, query: { ...given.query, page, per_page: perPage } })
  const found: Fields[] = []
  for await (const entries of pagesOf(operation.endpoint.path, get)) found.push(...entries)
  return found
}

/** True for what a list of this family cannot be because the server has no such family. */
export const isMissing = (error: unknown): error is ApiError =>
  error instanceof ApiError && [403, 404, 405, 410, 501].includes(error.status)
