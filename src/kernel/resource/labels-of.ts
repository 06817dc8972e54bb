/** The labels of resources of any kind, for callers that see only those whose labels match. */
import type { Labels } from '../contract/labels.ts'
import type { Queries } from '../data/db.ts'
import { type Scoped, scoped } from '../data/scoped.ts'
import type { ProjectScope } from '../scope.ts'
import { readLabels } from './label-index.ts'

interface LabelledRow {
  readonly id: number
  readonly name: string
  readonly labels: string
}

const rowsOf = (query: Queries, scope: ProjectScope, type: string) =>
  (scoped(query, scope) as unknown as Scoped<Record<string, LabelledRow>>).selectFrom(type)

/** The labels of the resources of a type with the given ids, by id; what the Project does not have is left out. */
export async function labelsById(
  query: Queries,
  scope: ProjectScope,
  type: string,
  ids: readonly number[],
): Promise<Map<number, Labels>> {
  if (ids.length === 0) return new Map()
  const rows = await rowsOf(query, scope, type).select(['id', 'labels']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, labels }) => [id, readLabels(labels)]))
}

/** The labels of the resources of a type with the given names, by name; what the Project does not have is left out. */
export async function labelsByName(
  query: Queries,
  scope: ProjectScope,
  type: string,
  names: readonly string[],
): Promise<Map<string, Labels>> {
  if (names.length === 0) return new Map()
  const rows = await rowsOf(query, scope, type).select(['name', 'labels']).where('name', 'in', names).execute()
  return new Map(rows.map(({ name, labels }) => [name, readLabels(labels)]))
}
