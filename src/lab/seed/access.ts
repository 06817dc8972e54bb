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

/** All entries of a list, in the order of the ids. Errors: `ApiError`. */
export async function readAll(access: Access, operation: SeedOperation, given: Given = {}): Promise<Fields[]> {
  const found: Fields[] = []
  for (let page: number | null = 1; page !== null; ) {
    const reply: Fields = await access.call(operation, { ...given, query: { ...given.query, page, per_page: perPage } })
    const { meta, ...lists } = reply
    found.push(...(Object.values(lists).find(Array.isArray) as Fields[]))
    const next: number | null = meta?.pagination?.next_page ?? null
    // A server that leads back would be followed for ever.
    page = next !== null && next > page ? next : null
  }
  return found
}

/** True for what a list of this family cannot be because the server has no such family. */
export const isMissing = (error: unknown): error is ApiError =>
  error instanceof ApiError && [403, 404, 405, 410, 501].includes(error.status)
