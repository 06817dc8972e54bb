/** A request as a panel of commands names it. */
import type { AnyRequest } from '../api/operations.ts'

export interface NamedRequest {
  readonly label: string
  readonly request: AnyRequest
}
