/** Lists that are read from the newest entry back. More of them is the same question with a larger page. */
import { keepPreviousData, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Api } from '../../api/api.ts'
import type { InputOf, ReplyFor } from '../../api/operations.ts'

type Operation = 'audit_list' | 'audit_listAll' | 'audit_activity' | 'management_listMail'
/** Entries of a page; the last is the most that the API gives at once, and filters narrow what is left. */
const sizes = [50, 250, 1_000]

/** Returns what was read, and how to read more. `isOn` false reads nothing. Errors are those of the page. */
export function usePages<Id extends Operation>(api: Api, operation: Id, input: InputOf<Id>, isOn = true) {
  const [step, go] = useState(0)
  const sized = { ...input, query: { ...input.query, per_page: sizes[step] } } as InputOf<Id>
  const options = api.query(operation, sized) as unknown as UseQueryOptions<ReplyFor<Id>>
  const query = useQuery({ ...options, enabled: isOn, placeholderData: keepPreviousData, throwOnError: true })
  const reply = isOn ? (query.data as ReplyFor<Id> | undefined) : undefined
  return {
    reply,
    isLoading: isOn && query.isPending,
    hasMore: reply?.meta.next != null && step < sizes.length - 1,
    isBusy: query.isPlaceholderData && query.isFetching,
    more: () => go(Math.min(step + 1, sizes.length - 1)),
  }
}
