/** The descriptions of operations in the contracts, without how to call them: loaded with pages that show them. */

import type { OperationId } from '../../api/operations.ts'
import descriptions from '../../generated/descriptions.json'
import type { RequestSchema } from '../../lib/form-model.ts'

export interface Description {
  readonly summary: string
  readonly section: string
  /** True if it needs a fresh proof of who one is. */
  readonly elevated?: boolean
  readonly errors: readonly string[]
  readonly query?: Readonly<Record<string, { readonly schema: RequestSchema; readonly description?: string }>>
  readonly body?: RequestSchema
}

const known = descriptions as unknown as Readonly<Record<OperationId, Description>>

export function descriptionOf(id: OperationId): Description {
  return known[id]
}
