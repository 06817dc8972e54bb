/** A resource that a dialog changes, as it is now: others may change it, or delete it, while the dialog is open. */
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../api/api.ts'
import { toFailure } from '../../api/failure.ts'
import { type ActsFamily, type Resource, requestOn } from './act.ts'

/** Begins with the row of the list that it was asked for. */
export function useCurrent(family: ActsFamily | 'servers', row: Resource) {
  const { operation, params } = requestOn(row, family, 'get')
  const { data, error } = useQuery(useApi().query(operation as 'servers_get', { params: params as { id: number } }))
  const current = (data ? Object.values(data)[0] : row) as Resource & { readonly description?: string | null }
  return { current, isGone: error !== null && toFailure(error).status === 404 }
}
