/**
 * Bodies name other resources. Callers that see only some resources of a Project may name only those, so each field
 * that can hold the id or the name of one says of what kind (`Endpoint.refers`).
 */
import type { TSchema } from 'typebox'
import { largestId } from '../ids.ts'

/** The target of a field's reference. */
export interface Referred {
  /**
   * Types of resources, one of which has the id; `catalogue` for what all Projects share; `part` for a part of the
   * resource in the path, which whoever sees the whole sees; `several` for what may stand for resources that the caller
   * does not see.
   */
  readonly of: readonly string[] | 'catalogue' | 'part' | 'several'
  /** The type of what it names in the catalogue. */
  readonly type?: string
  /** The owner of the names that the field takes besides ids; it takes none when this is missing. */
  readonly names?: 'own' | 'catalogue'
}

/** Fields by path, such as `targets[].server.id`. */
export type References = Readonly<Record<string, Referred>>

/** A field that names a resource of one of some types by its id. */
export const refersTo = (...of: readonly string[]): Referred => ({ of })
/** A field that names something of the catalogue by its id or its name. */
export const catalogued = (type: string): Referred => ({ of: 'catalogue', type })
/** A field that names a part of the resource that the path names. */
export const ownPart: Referred = { of: 'part' }
/** A field that may stand for any resources. */
export const anyOnes: Referred = { of: 'several' }

interface Shape {
  readonly type?: string
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/** The type of what a field may name in the catalogue; undefined for one that names nothing there. */
export function cataloguedType({ of, names, type }: Referred): string | undefined {
  return type ?? (names === 'catalogue' ? of[0] : undefined)
}

/** The fields of a body that hold ids or selectors, by path. Each is to be in the references of its endpoint. */
export function namingFields(schema: TSchema): string[] {
  const found = new Set<string>()
  const visit = (shape: Shape, path: string) => {
    if (shape.type === 'integer' && shape.maximum === largestId) found.add(path)
    for (const member of shape.anyOf ?? []) visit(member, path)
    if (shape.items) visit(shape.items, `${path}[]`)
    for (const [name, field] of Object.entries(shape.properties ?? {})) {
      const at = path === '' ? name : `${path}.${name}`
      if (name === 'label_selector') found.add(at)
      else visit(field, at)
    }
  }
  visit(schema as Shape, '')
  return [...found]
}

/** A value in a body, and where. */
export interface FoundValue {
  /** Such as `targets[0].server.id`. */
  readonly field: string
  readonly value: unknown
}

/** The values that a body has at a path such as `targets[].server.id`; those that are missing or null are left out. */
export function valuesAt(body: unknown, path: string): FoundValue[] {
  let found: FoundValue[] = [{ field: '', value: body }]
  for (const step of path.match(/\[\]|[^.[\]]+/g) ?? []) {
    found = found.flatMap(({ field, value }) => below(field, value, step))
  }
  return found
}

function below(field: string, value: unknown, step: string): FoundValue[] {
  if (step === '[]') {
    if (!Array.isArray(value)) return []
    return value.flatMap((one, index) => (one === null ? [] : [{ field: `${field}[${index}]`, value: one }]))
  }
  const next = (value as Readonly<Record<string, unknown>> | null)?.[step]
  return next === undefined || next === null ? [] : [{ field: field === '' ? step : `${field}.${step}`, value: next }]
}
