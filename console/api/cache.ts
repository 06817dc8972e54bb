/** The cache of replies. A refusal is never asked for again; what is passing is, with growing pauses. */
import { QueryClient } from '@tanstack/react-query'
import { toFailure } from './failure.ts'

const mostRetries = 3

export function createCache(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // Changes made here and events of the server mark replies as outdated before that.
        staleTime: 30_000,
        gcTime: 10 * 60_000,
        // A browser without a network still reaches a server on its own machine.
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (count, cause) => {
          const failure = toFailure(cause)
          return failure.status === 429 || (failure.isPassing && count < mostRetries)
        },
        retryDelay: (count, cause) => {
          const wanted = Math.min(1_000 * 2 ** count, 30_000)
          const { status, retryAt } = toFailure(cause)
          return status === 429 && retryAt ? Math.max(1_000, Math.min(wanted, retryAt - Date.now())) : wanted
        },
      },
    },
  })
}
