/** The servers and private networks by which the picture names addresses. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Api, useApi } from '../../api/api.ts'
import type { Server } from '../../families/servers/server.ts'
import type { Places } from './sources.ts'

const noNetworks: Places['networks'] = []

/** Networks are only names here, so nothing waits for them and nothing fails without them. */
export function usePlaces(servers: readonly Server[]): Places {
  const api = useApi()
  const { data: networks = noNetworks } = useQuery(api.list('networks_list', {}))
  return useMemo(() => ({ servers, networks }), [servers, networks])
}

export function useServers(): readonly Server[] {
  return useSuspenseQuery(serversOf(useApi())).data
}

function serversOf(api: Api) {
  return api.list('servers_list', {})
}
