/** One resource of a page, and whether it was deleted elsewhere while the page was open. */
import { useSuspenseQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import type { InputOf, OperationId, ReplyFor } from '../../api/operations.ts'

interface Shown<Reply> {
  readonly data: Reply
  readonly isGone: boolean
}

export function useResource<Id extends OperationId>(operation: Id, input: InputOf<Id>): Shown<ReplyFor<Id>> {
  const api = useApi()
  const { data, error } = useSuspenseQuery(api.query(operation, input))
  return { data, isGone: error !== null && toFailure(error).status === 404 }
}
