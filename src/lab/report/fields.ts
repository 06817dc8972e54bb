/** The fields of a request, held against the contract of its operation. */
import type { TSchema } from 'typebox'
import { removalOf } from '../../kernel/contract/as-of.ts'
import type { Change } from '../../kernel/contract/changes.ts'
import type { Endpoint } from '../../kernel/contract/contract.ts'
import { isUnread } from '../../kernel/contract/marks.ts'
import { searchOf } from '../../kernel/contract/urls.ts'
import { madeUpName } from './masks.ts'

/** Hears of fields that deserve a word. They are paths such as `rules[].port`. */
export interface Noticed {
  /** Nothing reads the field. */
  unknown(field: string, place: 'body' | 'query'): void
  /** A dated change removes the field, or the value that it has. */
  ending(field: string, change: Change): void
}

interface Fields {
  readonly properties?: Readonly<Record<string, TSchema>>
  readonly items?: TSchema
  readonly anyOf?: readonly TSchema[]
}

/** Looks at the fields of a body and at the parameters of a query. Null is like leaving a field out. */
export function lookAtFields(endpoint: Endpoint, body: unknown, url: string, noticed: Noticed): void {
  if (body !== undefined) lookAt(body, endpoint.body ? [endpoint.body] : [], '', noticed)
  const search = searchOf(url)
  if (search === '') return
  for (const name of new Set(new URLSearchParams(search).keys())) {
    if (!endpoint.query || !Object.hasOwn(endpoint.query, name)) noticed.unknown(madeUpName(name), 'query')
  }
}

/** `schemas` are those that the value may have; none of them is known where nothing is expected. */
function lookAt(value: unknown, schemas: readonly TSchema[], path: string, noticed: Noticed): void {
  const shapes = schemas.flatMap(alternatives)
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items }) => items ?? [])
    for (const one of value) lookAt(one, items, `${path}[]`, noticed)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const known = shapes.flatMap(({ properties }) => (properties ? [properties] : []))
  // An object without fields by name, such as labels, takes all of them.
  if (schemas.length > 0 && known.length === 0) return
  for (const [name, inner] of Object.entries(value)) {
    if (inner === null) continue
    const at = path === '' ? madeUpName(name) : `${path}.${madeUpName(name)}`
    const fields: TSchema[] = known.flatMap((fields) => (Object.hasOwn(fields, name) ? [fields[name]!] : []))
    const ending = fields.map((field) => removalOf(field, inner)).find((change) => change !== undefined)
    if (ending) noticed.ending(at, ending)
    if (fields.every(isUnread)) noticed.unknown(at, 'body')
    else lookAt(inner, fields, at, noticed)
  }
}

function alternatives(schema: TSchema): readonly Fields[] {
  const { anyOf } = schema as Fields
  return anyOf ? anyOf.flatMap(alternatives) : [schema as Fields]
}
