/** What the contracts say of each operation besides how it is called: loaded with the pages that show it. */

import type { OperationId } from '../../api/operations.ts'
import descriptions from '../../generated/descriptions.json'

/** The part of JSON Schema that request bodies and queries use. */
export interface Schema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly (string | number | null)[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly maxLength?: number
}

export interface Description {
  readonly summary: string
  readonly section: string
  readonly errors: readonly string[]
  readonly query?: Readonly<Record<string, { readonly schema: Schema; readonly description?: string }>>
  readonly body?: Schema
}

const known = descriptions as unknown as Readonly<Record<OperationId, Description>>

export function descriptionOf(id: OperationId): Description {
  return known[id]
}
