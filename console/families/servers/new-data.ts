/** The form of new servers chooses from this: what it offers itself, and the parts that families have. */
import type { QueryClient } from '@tanstack/react-query'
import type { Api } from '../../api/api.ts'
import { families } from '../../families.ts'
import { serverPart } from '../../generated/server-part.ts'
import type { NewServer, ServerPart } from './part.ts'

export type PartFamily = keyof typeof serverPart

export interface Part extends ServerPart {
  readonly family: PartFamily
  readonly label: string
}

/** Sorted as in requests. */
export const parts: readonly Part[] = (Object.entries(serverPart) as readonly [PartFamily, ServerPart][])
  .map(([family, part]) => ({ label: families[family].label, ...part, family }))
  .sort((one, other) => one.place - other.place)

/** The resources of a family that a new server is to have. */
export interface Picked {
  readonly ids: readonly number[]
  /** The answer to the question of the part. */
  readonly answer: boolean
}

export type AllPicked = Readonly<Record<PartFamily, Picked>>

/** Returns something of each part, by its family. */
export function forParts<Value>(make: (part: Part) => Value): Readonly<Record<PartFamily, Value>> {
  return Object.fromEntries(parts.map((part) => [part.family, make(part)])) as Record<PartFamily, Value>
}

/** The fields of a request that are wrong if a part is. */
export function fieldsOf({ family, question }: Part): readonly (keyof NewServer)[] {
  return question ? [family, question.field] : [family]
}

export function newServerData(api: Api) {
  return [
    api.list('server_types_list', {}),
    api.list('images_list', { query: { include_deprecated: true } }),
    api.list('locations_list', {}),
    api.query('pricing_get', {}),
    api.list('placement_groups_list', {}),
    api.list('servers_list', {}),
  ] as const
}

/** Lists what a part chooses from. */
export function rowsOf(api: Api, { family }: Part) {
  return api.list(`${family}_list`, {})
}

export function loadNewServer(cache: QueryClient, api: Api): Promise<unknown> {
  const all = [...newServerData(api), ...parts.map((part) => rowsOf(api, part))]
  return Promise.all(all.map((one) => cache.ensureQueryData(one as never)))
}
