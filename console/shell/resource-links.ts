/** The pages of resources, so that what is in the cache can be found by its name. */

import { type Named, nameIn } from '../api/known-names.ts'
import { type Family, families, familyOfList, pageOf } from '../families.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Target } from '../ui/link.tsx'

/** The link to one resource. */
export interface ResourceLink extends Target {
  readonly family: Family
  readonly id: number
  readonly name: string
  readonly kind: string
  readonly icon: IconName
}

/** The resources in the reply of a list. */
export function linksOf(operation: string, reply: unknown): readonly ResourceLink[] {
  const family = familyOfList(operation)
  return family && Array.isArray(reply) ? linksOfRows(family, reply) : []
}

/** The resources on a page of a list of a family. */
export function linksIn(family: Family, reply: unknown): readonly ResourceLink[] {
  return linksOfRows(family, Object.values(reply ?? {}).find((part) => Array.isArray(part)) ?? [])
}

function linksOfRows(family: Family, rows: readonly Named[]): readonly ResourceLink[] {
  const { label, icon } = families[family]
  return rows.flatMap((one) => {
    const name = nameIn(one)
    return name ? [{ family, id: one.id, name, kind: label, icon, ...pageOf(family, { id: one.id, name }) }] : []
  })
}
